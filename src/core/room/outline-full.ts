/** What an outline may have only so much of. */
export type Quota =
  /** Those in the trash and those that wait for their removal as well. */
  | "nodes"
  /** Of memory, as it will be. */
  | "bytes"
  /** The same, when it is the process that has no more, for now. */
  | "memory"
  | "shortcuts"
  | "mirrors"
  /** Ids that have been written under, which the outline keeps for ever. */
  | "clients"
  /** Of years and months of the calendar; they stay when their nodes are deleted. */
  | "seeds";

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
  const ofWhat = OF_WHAT[quota];
  const full = `The outline is full: it has ${shown(has)} of at most ${shown(limit)} ${ofWhat}`;
  return `${full}, and this would add ${shown(adds)}. ${REMEDIES[quota]}`;
}

/** Short enough for the reason with which a websocket closes. */
function sentenceOfClients(limit: number): string {
  const all = limit.toLocaleString("en-US");
  return `All ${all} client ids of this outline are used up: write under one of them.`;
}

const DELETE_NODES = "Delete what is not needed any more, from the trash too.";

const OF_WHAT: Readonly<Record<Exclude<Quota, "memory" | "clients">, string>> = {
  nodes: "nodes",
  bytes: "of memory",
  shortcuts: "shortcuts",
  mirrors: "mirrors",
  seeds: "years and months of the calendar",
};

const REMEDIES: Readonly<Record<Exclude<Quota, "memory" | "clients">, string>> = {
  nodes: DELETE_NODES,
  bytes: DELETE_NODES,
  shortcuts: "Remove one that is not needed any more.",
  mirrors: "Delete one that is not needed any more, from the trash too.",
  seeds: "Use those that are there.",
};

function shownAmount(quota: Quota, amount: number): string {
  if (quota !== "bytes") return amount.toLocaleString("en-US");
  return `${(amount / MIB).toLocaleString("en-US", { maximumFractionDigits: 1 })} MiB`;
}
