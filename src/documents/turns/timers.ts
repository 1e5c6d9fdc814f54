/** Time as the documents see it; injected, so that tests need not wait. */
export interface Timers {
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
  /** Resolves after others had their turn of the event loop (`yield-now.ts`). */
  yieldNow(): Promise<void>;
  /** The same a millisecond later, which leaves the processor to others; without it `yieldNow` has to do. */
  rest?(): Promise<void>;
}
