/**
 * The messages of the sync protocol, one for each binary websocket frame. The first four kinds are
 * those of y-protocols, as y-websocket speaks them; the others are for clients of the subprotocol
 * `outline.v1` and are never sent to a stock client. Bytes and order: docs/sync-protocol.md.
 */

/** A state vector, for which the other side answers with `step2`. */
interface Step1 {
  readonly kind: "step1";
  /** Encoded as Yjs does, V1. */
  readonly stateVector: Uint8Array;
}

/** What the sender of a `step1` lacks. */
interface Step2 {
  readonly kind: "step2";
  /** A Yjs update, V1. */
  readonly update: Uint8Array;
}

/** A change. */
interface Update {
  readonly kind: "update";
  /** A Yjs update, V1. */
  readonly update: Uint8Array;
}

/** Presences; `awareness-update.ts` reads and writes the bytes. */
interface Awareness {
  readonly kind: "awareness";
  readonly update: Uint8Array;
}

/** Asks for the presences of everybody. */
interface QueryAwareness {
  readonly kind: "query_awareness";
}

/** Says to a stock client why the connection closes next. */
interface PermissionDenied {
  readonly kind: "permission_denied";
  readonly reason: string;
}

/** The first message of an extended client: where it stands. */
export interface Hello {
  readonly kind: "hello";
  /** The highest version that the client speaks. */
  readonly version: number;
  /** Random bytes made when the client's process starts, and kept nowhere. */
  readonly instance: Uint8Array;
  /** The epoch of its replica; empty for a new one. */
  readonly epoch: string;
  /** Its replica holds all up to this sequence number; 0 for a new one. */
  readonly seq: number;
}

/** Answers `hello`. What the client lacks follows as `sequenced`, ended by `caught_up`. */
interface Welcome {
  readonly kind: "welcome";
  /** The version that both sides speak from now on. */
  readonly version: number;
  readonly epoch: string;
  /** The newest durable sequence number. */
  readonly head: number;
  /** What follows. */
  readonly from: StateSource;
  readonly access: "read" | "write";
  /** Longer messages are refused. */
  readonly maxMessageBytes: number;
}

/** What a welcome is followed by. */
export type StateSource =
  /** The updates behind the client's `seq`. */
  | "seq"
  /** The whole state, in parts. */
  | "state"
  /**
   * What the client lacks of the state, in parts, once it has said with `step1` what it has: it may
   * hold parts of a state already. From version 3 on.
   */
  | "rest";

/**
 * Clients of before had the server lease them the ids that they write under. They want an answer still,
 * before they send anything.
 */
export type LeaseQuestion =
  /** For an id; with random bytes. */
  | { readonly kind: "lease_request"; readonly secret: Uint8Array }
  /** To go on under one that they have. */
  | { readonly kind: "lease_claim"; readonly client: number; readonly clock: number };

/** Answers a `LeaseQuestion`: with the id to write under. */
export type LeaseAnswer =
  | { readonly kind: "lease_granted"; readonly client: number }
  | { readonly kind: "lease_kept"; readonly client: number; readonly clock: number };

/** An update with the place it leads to. */
interface Sequenced {
  readonly kind: "sequenced";
  /**
   * Who has applied everything up to this message holds all up to `seq`. 0 within a state that is
   * sent in parts: nothing is held completely yet.
   */
  readonly seq: number;
  /** A Yjs update, V1. */
  readonly update: Uint8Array;
}

/** All up to `seq` has been sent: after `welcome`, and after the client had been too slow. */
interface CaughtUp {
  readonly kind: "caught_up";
  readonly seq: number;
}

/** The client's updates are durable. */
interface Acknowledged {
  readonly kind: "acknowledged";
  /** This many of the connection's first `update` and `step2` messages are durable or were refused. */
  readonly count: number;
  /** As in `sequenced`; the client's own updates count as applied. */
  readonly seq: number;
}

/** One of the client's updates was not applied, no part of it. */
export interface Refused {
  readonly kind: "refused";
  /** Its number among the connection's `update` and `step2` messages, from 1. */
  readonly number: number;
  /** A stable code, listed in docs/sync-protocol.md; later versions may send others. */
  readonly code: string;
  /** For a person. */
  readonly reason: string;
}

/** The store fails now: what is not acknowledged is not saved. The connection closes next. */
interface Unavailable {
  readonly kind: "unavailable";
  readonly retryAfterMs: number;
}

/** Asks what time it is. From version 2 on. */
interface TimeQuestion {
  readonly kind: "time_question";
}

/** Answers `time_question`, at once. */
interface TimeAnswer {
  readonly kind: "time_answer";
  /** Unix milliseconds by the server's clock. */
  readonly now: number;
}

/** What clients send; a stock client the first five kinds. */
export type ClientMessage =
  | Step1
  | Step2
  | Update
  | Awareness
  | QueryAwareness
  | Hello
  | LeaseQuestion
  | TimeQuestion;

/** What the server sends; to a stock client the first six kinds. */
export type ServerMessage =
  | Step1
  | Step2
  | Update
  | Awareness
  | QueryAwareness
  | PermissionDenied
  | Welcome
  | LeaseAnswer
  | Sequenced
  | CaughtUp
  | Acknowledged
  | Refused
  | Unavailable
  | TimeAnswer;

/** Everything that is sent. */
export type Message = ClientMessage | ServerMessage;

/** The version of the extended messages in this file. */
export const PROTOCOL_VERSION = 3;

/** The version that first had what a client can't do without. */
export const OLDEST_VERSION = 1;

/** The version that first had `time_question`. */
export const VERSION_WITH_TIME = 2;

/** The version that first had a welcome from `rest`. */
export const VERSION_WITH_REST = 3;
