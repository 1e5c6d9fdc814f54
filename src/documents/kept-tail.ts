import type { Seq } from "./outline-log.ts";

/** The newest durable updates of a replica that was lost, without gaps. */
export interface KeptTail {
  readonly epoch: string;
  /** The number of the last of them. */
  readonly head: Seq;
  readonly updates: readonly Uint8Array[];
}
