import type { Disconnection } from "../status.ts";

/** What the key may do, as the server has said. */
export type Access = "read" | "write";

/** Messages have been sent that the server has not acknowledged. */
export interface Unanswered {
  /** When it began, or when the server was last heard since. */
  readonly since: number;
  /** Of the message that is to be acknowledged next, which takes its time on a slow line. */
  readonly bytes: number;
}

/**
 * How it stands with the server. Moments are milliseconds of a clock that nobody sets: a device whose
 * time is put right must not wait for hours. `attempt` counts what failed in a row,
 * and the next delay grows with it.
 */
export type ConnectionState =
  /** Not wanted: before `connect`, after `disconnect`. */
  | { readonly kind: "off" }
  /** A socket is on its way. */
  | { readonly kind: "connecting"; readonly attempt: number; readonly until: number }
  /** The socket is open and hello was said; the welcome is due. */
  | { readonly kind: "greeting"; readonly attempt: number; readonly until: number }
  /** What the replica lacks is coming. */
  | {
      readonly kind: "catching_up";
      readonly attempt: number;
      readonly until: number;
      readonly access: Access;
    }
  /** The replica has what the server has, and may send. */
  | {
      readonly kind: "live";
      readonly attempt: number;
      readonly since: number;
      readonly access: Access;
      readonly unanswered: Unanswered | undefined;
      /** The answer is overdue: nothing may be said to be on its way. */
      readonly isSilent: boolean;
    }
  /** The socket failed before it opened. Whether the key is to blame is asked over HTTP. */
  | { readonly kind: "asking"; readonly attempt: number; readonly until: number }
  /** It is tried again at `until`. */
  | {
      readonly kind: "waiting";
      readonly attempt: number;
      readonly until: number;
      readonly cause: Disconnection;
    }
  /** It is not tried again until somebody says so. */
  | { readonly kind: "stopped"; readonly cause: Disconnection };

/** What `GET /session` says about the key. `unknown`: no answer, or one that says nothing. */
export type SessionAnswer = "signed_in" | "signed_out" | "unknown";

export type ConnectionEvent =
  /** It is wanted from now on; a person asks for it now. */
  | { readonly kind: "connect" }
  | { readonly kind: "disconnect" }
  /** The device has a network again. */
  | { readonly kind: "online" }
  | { readonly kind: "opened" }
  | { readonly kind: "closed"; readonly code: number }
  | { readonly kind: "welcomed"; readonly version: number; readonly access: Access }
  | { readonly kind: "caught_up" }
  /** Any message came. */
  | { readonly kind: "heard" }
  /** A message came that can't be read. */
  | { readonly kind: "garbled" }
  | { readonly kind: "unavailable"; readonly retryAfterMs: number }
  /** So long is the message that is to be acknowledged next; 0 when none is. */
  | { readonly kind: "awaited"; readonly bytes: number }
  | { readonly kind: "session"; readonly answer: SessionAnswer }
  /** `dueAt` has come. */
  | { readonly kind: "time" };

/** What the shell has to do. There is one socket at most: `close` comes before the next `open`. */
export type ConnectionEffect = "open" | "close" | "ask_session";

export const ANSWER_DUE_MS = 4_000;
const DEAD_AFTER_MS = 10_000;
/** The slowest line on which something is expected to arrive. */
const SLOWEST_BYTES_PER_MS = 2.5;

/** When a connection that leaves this unanswered is given up. */
export function deadAt({ since, bytes }: Unanswered): number {
  return since + DEAD_AFTER_MS + bytes / SLOWEST_BYTES_PER_MS;
}

/** When the machine wants to be told the time; undefined when nothing is due: then nothing wakes. */
export function dueAt(state: ConnectionState): number | undefined {
  switch (state.kind) {
    case "connecting":
    case "greeting":
    case "catching_up":
    case "asking":
    case "waiting":
      return state.until;
    case "live": {
      const { unanswered } = state;
      if (unanswered === undefined) return undefined;
      return state.isSilent ? deadAt(unanswered) : unanswered.since + ANSWER_DUE_MS;
    }
    case "off":
    case "stopped":
      return undefined;
  }
}
