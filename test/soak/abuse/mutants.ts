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
    from: "take: (work, fixedMs = 0, size = nothing) => this.#take(party, () => watched(work, size), Math.max(SHARE_MS, fixedMs)),",
    to: "take: async (work) => work(),",
  },
  {
    file: "documents/turns.js",
    from: "const isOver = () => this.#elapsed() >= this.#shareEndsAt;",
    to: "const isOver = () => false;",
  },
  { file: "http/request-turns.js", from: "if (!isAtOnce)", to: "if (false)" },
];

/** Each who asks reads by itself, and more than a few reads at once take as long as a store that fails. */
export const withoutGateOfReads: readonly Edit[] = [
  {
    file: "documents/document-limits.js",
    from: "readsAtOnce: 4,",
    to: "readsAtOnce: 1e6,",
  },
  {
    file: "documents/stored-reads.js",
    from: "const underWay = this.#underWay.get(name);",
    to: "const underWay = undefined;",
  },
  {
    file: "documents/stored-reads.js",
    from: "if (!askers.some((isAsking) => isAsking()))",
    to: "if (false)",
  },
  {
    file: "documents/store-health.js",
    from: "async attempt(call, timeoutMs) {",
    to: `async attempt(read, timeoutMs) {
            const call = async (onProgress) => {
              this.reads = (this.reads ?? 0) + 1;
              try {
                if (this.reads > 4) this.#fail(new Error("it takes long"));
                return await read(onProgress);
              } finally {
                this.reads--;
              }
            };`,
  },
];
