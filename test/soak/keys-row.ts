import { Trespass } from "./keys/trespass.ts";
import type { SoakRow } from "./soak-row.ts";

/** Attempts between two looks at what nobody may have changed. */
const LOOK_EVERY = 200;
const FULL = 50_000;
const LONGEST_CLOSE_MS = 1_000;

/** Keys that open nothing, too little, or somebody else's. */
export const keysRow: SoakRow = {
  name: "keys",
  fault:
    "revoked, expired, read-only and limited keys, tokens of OAuth clients, and another user's ids, on every route, with every tool and in every message",
  goal: "0 leaks, nothing changed, websockets closed within 1 s",
  unit: "attempts",
  full: FULL,
  short: 1_200,
  budgetMs: 30 * 60_000,
  controls: {
    "revocation-is-forgotten": "a revoked key is still there",
    "expiry-is-ignored": "an expired key is still good",
    "scope-is-ignored": "a read-only key may write",
    "root-is-ignored": "a limited key reaches everything",
    "audience-is-ignored": "an access token opens the API",
    "grants-have-no-limits": "an OAuth client may write everywhere, whatever it was given",
    "tokens-outlive-their-hour": "an access token is good as long as its grant",
    "one-outline-for-all": "all users have the first one's outline",
  },
  async run({ amount, seed, control, goesOn }) {
    const trespass = await Trespass.begin(control, seed);
    try {
      while (trespass.done < amount && trespass.failures.length === 0 && goesOn(trespass.done)) {
        await trespass.tryUpTo(Math.min(amount, trespass.done + LOOK_EVERY));
      }
      if (trespass.failures.length === 0) trespass.expectSubstance();
      // In the short form a time decides nothing: other tests run beside it.
      if (amount >= FULL) trespass.expectSoonClosed(LONGEST_CLOSE_MS);
      return { done: trespass.done, failures: trespass.failures, figures: trespass.figures() };
    } finally {
      await trespass.end();
    }
  },
};
