import { setTimeout as delay } from "node:timers/promises";
import type { Abuse } from "../abuse.ts";
import { countAnswers, openTcp, written } from "../http-wire.ts";
import { sumOf, Tally } from "../tally.ts";

const BEGINNING = "GET /api/v1/settings HTTP/1.1\r\nhost: abuse.test\r\nx-slow: ";
const FILLER = "a".repeat(8_000);
const BYTES = { long: 40, short: 8 };
const EVERY_MS = 200;
const FULL = 3_000;

/** A request that never comes, from many at once. */
export const slowHeaders: Abuse = {
  name: "slow-headers",
  fault: "without a key: connections that send a long header byte by byte",
  unit: "connections",
  full: FULL,
  short: 300,
  shortOptions: { OUTLINE_MAX_CONNECTIONS_PER_ADDRESS: "100" },
  mutants: {
    "number of connections": {
      wrong: "an address may have as many connections as it likes",
      edits: [["group.all.size >= connectionsPerAddress", "false"]],
    },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const attackOne = async (): Promise<void> => {
      const socket = await openTcp(site);
      if (socket === undefined) return tally.add("notTaken");
      countAnswers(socket, tally);
      await written(socket, BEGINNING + FILLER);
      const bytes = amount >= FULL ? BYTES.long : BYTES.short;
      for (let count = 0; count < bytes && !socket.destroyed; count++) {
        await delay(EVERY_MS);
        await written(socket, "a");
      }
      if (!socket.destroyed) tally.add("held");
      socket.destroy();
    };
    await Promise.all(Array.from({ length: amount }, attackOne));
    return tally.counts;
  },
  harmOf(counts, amount) {
    const held = counts["held"] ?? 0;
    return held > (amount >= FULL ? 1_050 : 150) ? `${held} connections were held` : undefined;
  },
  lackOf(counts, amount) {
    const met = sumOf(counts, "held") + sumOf(counts, "notTaken") + sumOf(counts, "closed");
    return met >= amount ? undefined : `only ${met} connections`;
  },
};
