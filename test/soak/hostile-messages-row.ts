import { Attack } from "./hostile-messages/attack.ts";
import { AttackedServer } from "./hostile-messages/attacked-server.ts";
import { Neighbours } from "./hostile-messages/neighbours.ts";
import { setScene } from "./hostile-messages/scene.ts";
import type { SoakRow } from "./soak-row.ts";

/** Messages between two looks at everything. */
const CHECK_EVERY = 20_000;
const CHECKS_AT_LEAST = 2;
const FULL = 1_000_000;
const LONGEST_TURN_MS = 100;
const NEIGHBOURS_P99_MS = 100;

/** Whoever has a key may say anything on a websocket. */
export const hostileMessagesRow: SoakRow = {
  name: "hostile-messages",
  fault: "websockets say what no client should: random, damaged, forged, oversized, in every state",
  goal: "no crash, nothing acknowledged that is not there, nobody else disturbed: another user's p99 is at most 100 ms, and no turn of the event loop takes longer",
  unit: "messages",
  full: FULL,
  short: 4_000,
  budgetMs: 60 * 60_000,
  controls: {
    "guard-lets-all-through": "updates are applied without being looked at",
    "refused-is-acknowledged": "what was refused is acknowledged",
  },
  async run({ amount, seed, control, goesOn }) {
    const server = await AttackedServer.start({ control });
    let neighbours: Neighbours | undefined;
    try {
      neighbours = await Neighbours.beside(server);
      const attack = new Attack(await setScene(server), seed);
      const step = Math.min(CHECK_EVERY, Math.ceil(amount / CHECKS_AT_LEAST));
      while (attack.sent < amount && attack.failures.length === 0 && goesOn(attack.sent)) {
        await attack.sendUpTo(Math.min(amount, attack.sent + step));
        // What is found already need not be waited for: replicas that differ never settle.
        if (attack.failures.length === 0) await attack.check();
      }
      attack.end();
      const waits = await neighbours.stop();
      if (waits === undefined) attack.failures.push("a keystroke of another user got lost");
      if (attack.failures.length === 0) attack.expectSubstance();
      // In the short form a time decides nothing: other tests run beside it.
      if (amount >= FULL) {
        attack.expectShortTurns(LONGEST_TURN_MS);
        if (waits !== undefined && waits.p99Ms > NEIGHBOURS_P99_MS) {
          attack.failures.push(`another user's p99: ${waits.p99Ms} ms`);
        }
      }
      const figures = {
        ...attack.figures(),
        neighboursTyped: waits?.count ?? 0,
        neighboursMedianMs: waits?.medianMs ?? 0,
        neighboursP99Ms: waits?.p99Ms ?? 0,
        neighboursWorstMs: waits?.worstMs ?? 0,
      };
      return { done: attack.sent, failures: attack.failures, figures };
    } finally {
      neighbours?.end();
      await server.stop();
    }
  },
};
