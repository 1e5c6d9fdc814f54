import type { Disconnection } from "./status.ts";

/** What was waited for will not happen unless somebody does something about it. */
export class DisconnectedError extends Error {
  override readonly name = "DisconnectedError";
  /** What stands in the way; `closed`: the replica was closed before. */
  readonly code: Disconnection | "closed";

  constructor(code: Disconnection | "closed") {
    super(`the server can't be reached: ${code}`);
    this.code = code;
  }
}
