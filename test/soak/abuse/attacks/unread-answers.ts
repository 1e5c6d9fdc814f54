import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Abuse } from "../abuse.ts";
import { HttpCaller } from "../http-caller.ts";
import { openTcp, requestBytes, written } from "../http-wire.ts";
import { type NodeKey, ROOT } from "../../../../src/core/node-key.ts";
import { keyOf, placement, plant, type PlantedNode, plantText } from "../planted.ts";
import { endlessMemory } from "../mutants.ts";
import { sumOf, Tally } from "../tally.ts";

/** Each character is four bytes of the answer, which is made as it is read. */
const LONG_NAME = "<".repeat(2 ** 20 - 1);
/** Lists of 1.4 MB that are made in one go, and whole in memory until they are read. */
const LISTS = 30;
const CHILDREN = 7;
/** So many of them that the server can't keep what it has answered. */
const LISTED: readonly PlantedNode[] = Array.from({ length: LISTS }, (_, list) => [
  { key: parentOf(list), place: placement(ROOT, 1 + list) },
  ...Array.from({ length: CHILDREN }, (_child, index) => ({
    key: keyOf(1_000 + list * CHILDREN + index),
    place: placement(parentOf(list), index),
    name: "漢".repeat(65_000),
  })),
]).flat();
/** Of one connection, one behind the other: the buffers of the system take the first ones. */
const REQUESTS = 6;
const HELD_MS = 6_000;

function parentOf(list: number): NodeKey {
  return keyOf(1 + list);
}

/** Answers that are long to make, and answers that lie in memory until they are read. */
export const unreadAnswers: Abuse = {
  name: "unread-answers",
  fault:
    "read-only: connections that ask for a node of 4 MiB or lists of 1.4 MB, and do not read the answer",
  unit: "connections",
  full: 400,
  short: 320,
  shortPeakMib: 150,
  mutants: {
    "the ledger": { wrong: "nobody has to give up what is held for them", edits: [endlessMemory] },
  },
  async prepare(site) {
    await plantText(site, keyOf(0), LONG_NAME);
    for (let from = 0; from < LISTED.length; from += 1 + CHILDREN) {
      await plant(site, new Tally(), LISTED.slice(from, from + 1 + CHILDREN));
    }
  },
  async attack(site, amount) {
    const tally = new Tally();
    const ask = (path: string) =>
      requestBytes("GET", `/api/v1/nodes${path}`, { key: site.readKey });
    const requestOf = (index: number) =>
      ask(index % 8 === 0 ? `/${keyOf(0)}` : `?parent_id=${parentOf(index % LISTS)}`);
    const sockets: Socket[] = [];
    const attackOne = async (request: string): Promise<void> => {
      const socket = await openTcp(site);
      if (socket === undefined) return tally.add("notTaken");
      socket.on("close", () => tally.add("closed"));
      await written(socket, request.repeat(REQUESTS));
      tally.add("asked");
      sockets.push(socket);
    };
    await Promise.all(Array.from({ length: amount }, (_, index) => attackOne(requestOf(index))));
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
