import { Attack } from "./hostile-messages/attack.ts";
import { AttackedServer } from "./hostile-messages/attacked-server.ts";
import { setScene } from "./hostile-messages/scene.ts";
import type { SoakRow } from "./soak-row.ts";

/** Messages between two looks at everything. */
const CHECK_EVERY = 20_000;
const CHECKS_AT_LEAST = 2;
const FULL = 1_000_000;
const LONGEST_TURN_MS = 100;

/** Whoever has a key may say anything on a websocket. */
export const hostileMessagesRow: SoakRow = {
  name: "hostile-messages",
  fault: "websockets say what no client should: random, damaged, forged, oversized, in every state",
  goal: "no crash, nothing acknowledged that is not there, no other client disturbed, no turn of the event loop over 100 ms",
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
    try {
      const attack = new Attack(await setScene(server), seed);
      const step = Math.min(CHECK_EVERY, Math.ceil(amount / CHECKS_AT_LEAST));
      while (attack.sent < amount && attack.failures.length === 0 && goesOn(attack.sent)) {
        await attack.sendUpTo(Math.min(amount, attack.sent + step));
        await attack.check();
      }
      attack.end();
      // In the short form a time decides nothing: other tests run beside it.
      if (amount >= FULL) attack.expectShortTurns(LONGEST_TURN_MS);
      if (attack.failures.length === 0) attack.expectSubstance();
      return { done: attack.sent, failures: attack.failures, figures: attack.figures() };
    } finally {
      await server.stop();
    }
  },
};
