import type { NodeKey } from "../../../../src/core/node-key.ts";

/** Where the zoom and the search are kept, with a way back: the address of the page. */
export interface Place {
  /** The node of the address; `ROOT` when it names none. */
  read(): NodeKey;
  /** The search of the address; empty when there is none. */
  query(): string;
  /** @param replaces without a step to go back to */
  go(key: NodeKey, replaces: boolean, query?: string): void;
  /** Called when the person went back, forward or to another address. Answers how to stop. */
  onChange(listener: () => void): () => void;
}
