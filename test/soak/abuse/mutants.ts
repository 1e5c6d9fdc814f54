import type { Edit, Mutants } from "./mutant.ts";

/** What is held for people outside is counted, and nobody has to give anything up. */
export const endlessMemory: Edit = ["#enforce(payer) {", "#enforce(payer) { return;"];

/** Work that is cut into slices is done in one go, and nobody waits for others. */
export const inOneGo: readonly Edit[] = [
  [
    "take: (work, fixedMs = 0, size = nothing) => this.#take(payer, () => watch.run(payer, kind, size, work), Math.max(SHARE_MS, fixedMs)),",
    "take: async (work) => work(),",
  ],
  ["const isOver = () => this.#elapsed() >= this.#shareEndsAt;", "const isOver = () => false;"],
  ["if (!(account.waiting === 0 && spentMs", "if (false && (account.waiting === 0 && spentMs"],
];

export const withoutTurns: Mutants = {
  turns: { wrong: "all that it makes to do is done in one go", edits: inOneGo },
};

/** Each who asks reads by itself, and more than a few reads at once take as long as a store that fails. */
export const withoutGateOfReads: readonly Edit[] = [
  ["readsAtOnce: 4,", "readsAtOnce: 1e6,"],
  ["const underWay = this.#underWay.get(name);", "const underWay = undefined;"],
  ["if (!askers.some((isAsking) => isAsking()))", "if (false)"],
  [
    "async attempt(call, timeoutMs) {",
    `async attempt(read, timeoutMs) {
            const call = async (onProgress) => {
              this.reads = (this.reads ?? 0) + 1;
              try {
                if (this.reads > 4) this.#fail(new Error("it takes long"));
                return await read(onProgress);
              } finally {
                this.reads--;
              }
            };`,
  ],
];
