import type { OutlineId, Random } from "../../src/core/node-key.ts";
import type { LastWords } from "./last-words.ts";
import type { Socket, SocketListener } from "./connection/socket.ts";

/** What the server says about the key: `GET /session`. */
export type SessionReply =
  | { readonly kind: "signed_in"; readonly outline: OutlineId }
  /** The key is wrong, was revoked, has expired, or is no key for a whole outline. */
  | { readonly kind: "signed_out" }
  /** No answer, or none that says anything about the key. */
  | { readonly kind: "unknown" };

/** What the library needs from where it runs. Drivers: the browser, Node; tests have their own. */
export interface Platform {
  /** Unix milliseconds, by a clock that may be wrong. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number;
  readonly random: Random;
  /** Unguessable bytes. */
  randomBytes(length: number): Uint8Array;
  /** Calls back once, unless it is stopped by calling the answer. */
  setTimer(callback: () => void, ms: number): () => void;
  /** Lets everything else have its turn: painting, input, timers. */
  yieldNow(): Promise<void>;
  /** Opens the websocket of an outline; of the key's own when it is not known whose. */
  openSocket(outline: OutlineId | undefined, listener: SocketListener): Socket;
  /** Never rejects, and answers within a few seconds. */
  readonly askSession: () => Promise<SessionReply>;
  /** Told when the device has a network again. Answers how to stop. */
  onOnline(listener: () => void): () => void;
  /** Told when the program may be ended without further notice: a page that is hidden. */
  onHide(listener: () => void): () => void;
  /** Absent where a program that ends has the time to store what it has. */
  readonly lastWords?: LastWords | undefined;
}
