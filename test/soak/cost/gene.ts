/** A small thing that a client can say. What the numbers mean depends on the kind. */
export interface Gene {
  readonly kind: string;
  /** How many, from 1. */
  readonly count: number;
  /** How large each is, from 1. */
  readonly size: number;
  /** Which of several, modulo their number. */
  readonly pick: number;
}

/** What is sent at once. */
export interface Step {
  /** One update of all genes; for each gene of a request a request with the texts before it; messages. */
  readonly channel: "update" | "requests" | "messages";
  readonly genes: readonly Gene[];
  /** How often; an update is written anew each time. */
  readonly times: number;
}

/** What one client does. The same case always sends the same bytes. */
export type Case = readonly Step[];
