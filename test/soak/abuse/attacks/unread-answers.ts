import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Abuse } from "../abuse.ts";
import { HttpCaller } from "../http-caller.ts";
import { openTcp, requestBytes, written } from "../http-wire.ts";
import { keyOf, plantText } from "../planted.ts";
import { endlessMemory } from "../mutants.ts";
import { sumOf, Tally } from "../tally.ts";

/** Each character is four bytes of the answer. */
const NAME_LENGTH = 2 ** 20 - 1;
const HELD_MS = 3_000;

/** An answer is whole in memory until it is read. */
export const unreadAnswers: Abuse = {
  name: "unread-answers",
  fault: "read-only: connections that ask for a node of 4 MiB, and do not read the answer",
  unit: "connections",
  full: 800,
  short: 80,
  shortPeakMib: 300,
  mutants: {
    "the ledger": { wrong: "nobody has to give up what is held for them", edits: [endlessMemory] },
  },
  prepare: (site) => plantText(site, keyOf(0), "<".repeat(NAME_LENGTH)),
  async attack(site, amount) {
    const tally = new Tally();
    const request = requestBytes("GET", `/api/v1/nodes/${keyOf(0)}`, { key: site.readKey });
    const sockets: Socket[] = [];
    const attackOne = async (): Promise<void> => {
      const socket = await openTcp(site);
      if (socket === undefined) return tally.add("notTaken");
      socket.on("close", () => tally.add("closed"));
      await written(socket, request);
      tally.add("asked");
      sockets.push(socket);
    };
    await Promise.all(Array.from({ length: amount }, attackOne));
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
