import { CLOSE_CODE } from "../../../src/protocol/close-code.ts";
import type { Disconnection } from "../status.ts";

/** What the end of a connection means: docs/sync-protocol.md, "Endings". */
export interface CloseCause {
  readonly isFinal: boolean;
  readonly cause: Disconnection;
}

/** @param code of the websocket; 1006 for a connection that just broke */
export function closeCause(code: number): CloseCause {
  switch (code) {
    case CLOSE_CODE.unauthorized:
      return { isFinal: true, cause: "signed_out" };
    case CLOSE_CODE.internalError:
    case CLOSE_CODE.tryAgainLater:
      return { isFinal: false, cause: "unavailable" };
    case CLOSE_CODE.timeout:
      // This client does say hello: it was the line that kept it back for so long.
      return { isFinal: false, cause: "unreachable" };
    default: {
      const isFinal = code >= 4400 && code <= 4499;
      return { isFinal, cause: isFinal ? "refused" : "unreachable" };
    }
  }
}
