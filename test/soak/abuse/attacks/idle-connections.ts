import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Abuse } from "../abuse.ts";
import { firstOf } from "../first-of.ts";
import { countAnswers, openTcp, requestBytes } from "../http-wire.ts";
import { withoutConnectionLimit } from "../mutants.ts";
import { sumOf, Tally } from "../tally.ts";

const FULL = 4_000;
/** Long enough that all were taken or refused. */
const HELD_MS = { long: 8_000, short: 1_000 };

const HEARD_WITHIN_WAITS = 300;

function mostHeld(amount: number): number {
  return amount >= FULL ? 1_050 : 150;
}

/** Kept open behind their first answer, or never used at all. */
export const idleConnections: Abuse = {
  name: "idle-connections",
  fault: "connections that ask once, or never, and stay",
  unit: "connections",
  full: FULL,
  short: 400,
  shortOptions: { OUTLINE_MAX_CONNECTIONS_PER_ADDRESS: "100" },
  mutants: withoutConnectionLimit,
  async attack(site, amount) {
    const tally = new Tally();
    const sockets: Socket[] = [];
    const openOne = async (index: number): Promise<void> => {
      const socket = await openTcp(site);
      if (socket === undefined) return tally.add("notTaken");
      sockets.push(socket);
      countAnswers(socket, tally);
      if (index % 2 === 0 && !socket.destroyed) {
        socket.write(requestBytes("GET", "/api/v1/settings", { key: site.key }));
        await firstOf(socket, "data", "close");
      }
    };
    await Promise.all(Array.from({ length: amount }, (_, index) => openOne(index)));
    await delay(amount >= FULL ? HELD_MS.long : HELD_MS.short);
    const held = (): number => sockets.filter(({ destroyed }) => !destroyed).length;
    // This process is given little time, and hears late of what the server has closed.
    for (let waits = 0; waits < HEARD_WITHIN_WAITS && held() > mostHeld(amount); waits++) {
      await delay(100);
    }
    tally.add("held", held());
    for (const socket of sockets) socket.destroy();
    return tally.counts;
  },
  harmOf(counts, amount) {
    const held = counts["held"] ?? 0;
    return held > mostHeld(amount) ? `${held} connections were held` : undefined;
  },
  lackOf(counts, amount) {
    const met = sumOf(counts, "held") + sumOf(counts, "notTaken") + sumOf(counts, "closed");
    return met >= amount ? undefined : `only ${met} connections`;
  },
};
