import type { Disconnection } from "./status.ts";

const MESSAGES: Readonly<Record<Disconnection, string>> = {
  unreachable: "the server can't be reached",
  unavailable: "the server can't save now",
  signed_out: "the server does not know the key: it is wrong, revoked or expired",
  read_only: "the key may only read",
  outdated: "the server has a newer version than this program",
  refused: "the server refused edits, which stay on this device",
  full: "the outline has no room for edits, which stay on this device",
  closed: "the replica was closed",
};

/** What was waited for will not happen unless somebody does something about it. */
export class DisconnectedError extends Error {
  override readonly name = "DisconnectedError";
  /** What stands in the way. */
  readonly code: Disconnection;

  constructor(code: Disconnection) {
    super(MESSAGES[code]);
    this.code = code;
  }
}
