import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Abuse } from "../abuse.ts";
import { HttpCaller } from "../http-caller.ts";
import { openTcp, requestBytes, written } from "../http-wire.ts";
import { ROOT } from "../../../../src/core/node-key.ts";
import { keyOf, placement, plant, type PlantedNode, plantText } from "../planted.ts";
import { endlessMemory } from "../mutants.ts";
import { sumOf, Tally } from "../tally.ts";

/** Each character is four bytes of the answer, which is made as it is read. */
const LONG_NAME = "<".repeat(2 ** 20 - 1);
/** A list of 1.4 MB that is made in one go, and whole in memory until it is read. */
const LIST: readonly PlantedNode[] = [
  { key: keyOf(1), place: placement(ROOT, 1) },
  ...Array.from({ length: 7 }, (_, index) => ({
    key: keyOf(2 + index),
    place: placement(keyOf(1), index),
    name: "漢".repeat(65_000),
  })),
];
/** Of one connection, one behind the other: the buffers of the system take the first ones. */
const REQUESTS = 6;
const HELD_MS = 6_000;

/** Answers that are long to make, and answers that lie in memory until they are read. */
export const unreadAnswers: Abuse = {
  name: "unread-answers",
  fault:
    "read-only: connections that ask for a node of 4 MiB or a list of 1.4 MB, and do not read the answer",
  unit: "connections",
  full: 400,
  short: 320,
  shortPeakMib: 300,
  mutants: {
    "the ledger": { wrong: "nobody has to give up what is held for them", edits: [endlessMemory] },
  },
  async prepare(site) {
    await plantText(site, keyOf(0), LONG_NAME);
    await plant(site, new Tally(), LIST);
  },
  async attack(site, amount) {
    const tally = new Tally();
    const ask = (path: string) =>
      requestBytes("GET", `/api/v1/nodes${path}`, { key: site.readKey });
    const requests = [ask(`/${keyOf(0)}`), ask(`?parent_id=${keyOf(1)}`)] as const;
    const sockets: Socket[] = [];
    const attackOne = async (request: string): Promise<void> => {
      const socket = await openTcp(site);
      if (socket === undefined) return tally.add("notTaken");
      socket.on("close", () => tally.add("closed"));
      await written(socket, request.repeat(REQUESTS));
      tally.add("asked");
      sockets.push(socket);
    };
    await Promise.all(
      Array.from({ length: amount }, (_, index) => attackOne(requests[index % 8 === 0 ? 0 : 1])),
    );
    // What is asked behind them has its turn when all of them are answered.
    const caller = new HttpCaller(site, tally, 1);
    await Promise.all([
      caller.call("GET", "/api/v1/settings", { key: site.readKey }),
      delay(HELD_MS),
    ]);
    caller.close();
    for (const socket of sockets) socket.destroy();
    return tally.counts;
  },
  lackOf(counts, amount) {
    const met = sumOf(counts, "asked") + sumOf(counts, "notTaken");
    return met >= amount ? undefined : `only ${met} have asked`;
  },
};
