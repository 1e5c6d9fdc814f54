import type { Edit } from "./mutant.ts";

/** What is held for people outside is counted, and nobody has to give anything up. */
export const endlessMemory: Edit = {
  file: "charges/memory-ledger.js",
  from: "#enforce(payer) {",
  to: "#enforce(payer) { return;",
};

/** Work that is cut into slices is done in one go, and nobody waits for others. */
export const withoutTurns: readonly Edit[] = [
  {
    file: "documents/turns.js",
    from: "take: (work, fixedMs = 0) => this.#take(party, work, Math.max(SHARE_MS, fixedMs)),",
    to: "take: async (work) => work(),",
  },
  { file: "http/request-turns.js", from: "if (!isAtOnce)", to: "if (false)" },
];
