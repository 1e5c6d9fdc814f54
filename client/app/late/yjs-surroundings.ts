/** Stands in for what Yjs, and what it is built on, ask of their surroundings: those of a page here. */

export const isBrowser = true;

/** How words are shown: all alike. */
export const [BOLD, UNBOLD, ORANGE, RED] = ["", "", "", ""];

/** Yjs says when a document takes another client id, which the replica does by itself. */
export function print(...words: readonly unknown[]): void {
  // oxlint-disable-next-line eslint/no-console -- what a library has to say to who looks for a defect
  console.info(...words);
}

/** Yjs is used in a way that will not do. */
export function warn(...words: readonly unknown[]): void {
  // oxlint-disable-next-line eslint/no-console -- as above
  console.warn(...words);
}

/** No variable is set: Yjs asks whether it is being developed, and then freezes what it hands out. */
export function getVariable(): undefined {
  return undefined;
}
