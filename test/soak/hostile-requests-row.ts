import { AttackedServer } from "./hostile-messages/attacked-server.ts";
import { RequestAttack } from "./hostile-requests/request-attack.ts";
import type { SoakRow } from "./soak-row.ts";

/** After so many requests there is another user, so that outlines stay small. */
const REQUESTS_A_USER = 2_000;
const FULL = 100_000;
const LONGEST_TURN_MS = 100;
/** Small ones, so that what is too large is cheap to send. */
const LIMITS = { bodyBytes: 300_000, textBytes: 20_000 };

/** Whoever reaches the port may send anything over HTTP. */
export const hostileRequestsRow: SoakRow = {
  name: "hostile-requests",
  fault:
    "requests to every operation, and to none, that are wrong in every way that HTTP has room for",
  goal: "no crash, no 5xx, no hung connection, every answer as documented, no refusal that changes or tells anything",
  unit: "requests",
  full: FULL,
  short: 2_000,
  budgetMs: 60 * 60_000,
  controls: {
    "an-operation-takes-anything": "one operation does not look at its body",
    "a-route-fails": "one route answers 500, in HTML",
    "a-refusal-echoes": "a 404 repeats the address",
  },
  async run({ amount, seed, control, goesOn }) {
    const server = await AttackedServer.start({ control, limits: LIMITS });
    try {
      const attack = await RequestAttack.begin(server, seed);
      while (attack.sent < amount && attack.failures.length === 0 && goesOn(attack.sent)) {
        await attack.sendUpTo(Math.min(amount, attack.sent + REQUESTS_A_USER));
      }
      // In the short form a time decides nothing: other tests run beside it.
      if (amount >= FULL) attack.expectShortTurns(LONGEST_TURN_MS);
      if (attack.failures.length === 0) attack.expectSubstance();
      return { done: attack.sent, failures: attack.failures, figures: attack.figures() };
    } finally {
      await server.stop();
    }
  },
};
