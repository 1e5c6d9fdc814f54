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
  post(message: object): void;
  /** Called with what other tabs post, in the order of each tab. Answers how to stop. */
  onMessage(listener: (message: unknown) => void): () => void;
  /**
   * Takes a client id for this tab until it closes or crashes. False when another tab holds it, or
   * when nothing can show that none does.
   */
  hold(client: number): Promise<boolean>;
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
    hold: async () => true,
    close: nothing,
  };
}
