import type { ServerMessage } from "../protocol/message.ts";
import type { Seq } from "../documents/log/outline-log.ts";
import type { Batch } from "./batch.ts";
import type { Refusal } from "./refusal.ts";
import type { Frame } from "./websocket-frame.ts";

/** One of the updates that bring a client up to date. */
export interface CatchUpPart {
  readonly update: Uint8Array;
  /** What the client holds all up to, once it has this part; 0 while parts of a state are missing. */
  readonly seq: Seq;
  readonly isLast: boolean;
}

/** In which messages a session says what all sessions have to say. Stateless. */
export interface Dialect {
  readonly name: "stock" | "extended";
  /** The frame of a broadcast. */
  frameOf(batch: Batch): Frame;
  part(part: CatchUpPart): ServerMessage;
  caughtUp(seq: Seq): readonly ServerMessage[];
  acknowledged(count: number, seq: Seq): readonly ServerMessage[];
  /** @param isFinal whether the session is closed for it */
  refused(number: number, refusal: Refusal, isFinal: boolean): readonly ServerMessage[];
  unavailable(retryAfterMs: number): readonly ServerMessage[];
  /** What keeps a client from taking a silent connection for a dead one, beside pings. */
  heartbeat(): readonly ServerMessage[];
}

/** What a client of y-websocket understands. */
export const STOCK: Dialect = {
  name: "stock",
  frameOf: (batch) => batch.updateFrame,
  part: ({ update, isLast }) => ({ kind: isLast ? "step2" : "update", update }),
  caughtUp: () => [],
  acknowledged: () => [],
  refused: (_number, { reason }, isFinal) =>
    isFinal ? [{ kind: "permission_denied", reason }] : [],
  unavailable: () => [],
  // Its provider can't see pings, and gives up after 30 seconds without a message.
  heartbeat: () => [{ kind: "awareness", update: NOBODY }],
};

/** For clients of the subprotocol `outline.v1`. */
export const EXTENDED: Dialect = {
  name: "extended",
  frameOf: (batch) => batch.sequencedFrame,
  part: ({ update, seq }) => ({ kind: "sequenced", seq, update }),
  caughtUp: (seq) => [{ kind: "caught_up", seq }],
  acknowledged: (count, seq) => [{ kind: "acknowledged", count, seq }],
  refused: (number, { code, reason }) => [{ kind: "refused", number, code, reason }],
  unavailable: (retryAfterMs) => [{ kind: "unavailable", retryAfterMs }],
  heartbeat: () => [],
};

/** An awareness update of no presences. */
const NOBODY = new Uint8Array([0]);
