/** What an outline may have only so much of. */
export type Quota =
  /** Those in the trash and those that wait for their removal as well. */
  | "nodes"
  /** Of memory, as it will be. */
  | "bytes"
  /** The same, when it is the process that has no more, for now. */
  | "memory"
  | "shortcuts"
  /** Ids that clients without a lease have written under, which the outline keeps for ever. */
  | "clients";

/** The outline can't take more of something. Nothing has changed; what makes it smaller passes. */
export interface OutlineFull {
  readonly kind: "outline_full";
  readonly quota: Quota;
  /** What there is now. */
  readonly has: number;
  /** What the refused change would have added. */
  readonly adds: number;
  readonly limit: number;
}

const MIB = 2 ** 20;

/** What a person reads: how full it is, and what can be done. */
export function sentenceOfFull({ quota, has, adds, limit }: OutlineFull): string {
  if (quota === "memory")
    return "The server has no memory for more at the moment. Try again later.";
  if (quota === "clients") return sentenceOfClients(limit);
  const shown = (amount: number): string => shownAmount(quota, amount);
  const ofWhat = quota === "bytes" ? "of memory" : quota;
  const full = `The outline is full: it has ${shown(has)} of at most ${shown(limit)} ${ofWhat}`;
  const remedy = quota === "shortcuts" ? REMOVE_SHORTCUTS : DELETE_NODES;
  return `${full}, and this would add ${shown(adds)}. ${remedy}`;
}

/** Short enough for the reason with which a websocket closes. */
function sentenceOfClients(limit: number): string {
  const all = limit.toLocaleString("en-US");
  return `All ${all} client ids of this outline are used up: write under one of them, or lease one (outline.v1).`;
}

const REMOVE_SHORTCUTS = "Remove one that is not needed any more.";
const DELETE_NODES = "Delete what is not needed any more, from the trash too.";

function shownAmount(quota: Quota, amount: number): string {
  if (quota !== "bytes") return amount.toLocaleString("en-US");
  return `${(amount / MIB).toLocaleString("en-US", { maximumFractionDigits: 1 })} MiB`;
}
