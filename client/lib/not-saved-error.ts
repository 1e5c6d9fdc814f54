import type { Disconnection } from "./status.ts";

/** The server will not have what was waited for, unless somebody does something about it. */
export class NotSavedError extends Error {
  override readonly name = "NotSavedError";
  /** What stands in the way; `closed`: the replica was closed before. */
  readonly code: Disconnection | "closed";

  constructor(code: Disconnection | "closed") {
    super(`not saved: ${code}`);
    this.code = code;
  }
}
