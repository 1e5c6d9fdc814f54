/**
 * The tabs (or windows) of one browser that have the same store open. One of them leads: it alone is
 * connected to the server, and the others pass on through it what they do.
 */
export interface TabGroup {
  /** Once true, it stays so until this tab closes. */
  readonly isLeader: boolean;
  /** Called once when this tab becomes the leader; never when it already is. Answers how to stop. */
  onLeader(listener: () => void): () => void;
  /** Tells all other tabs: a value that can be cloned. Nothing says whether it arrived. */
  post(message: Uint8Array | object): void;
  /** Called with what other tabs post, in the order of each tab. Answers how to stop. */
  onMessage(listener: (message: unknown) => void): () => void;
  /**
   * Takes the first of these client ids that no other tab holds, until this tab closes or crashes.
   * Undefined when there is none, or when nothing can show that no other tab has it: then a new id
   * has to be leased.
   */
  claimLease(clients: readonly number[]): Promise<number | undefined>;
  close(): void;
}

const nothing = (): void => undefined;

/** A program that has its store for itself: always the leader, and nobody hears it. */
export function soleTab(): TabGroup {
  return {
    isLeader: true,
    onLeader: () => nothing,
    post: nothing,
    onMessage: () => nothing,
    claimLease: async (clients) => clients[0],
    close: nothing,
  };
}
