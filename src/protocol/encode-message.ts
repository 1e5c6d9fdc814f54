import * as encoding from "lib0/encoding";

import type { Message } from "./message.ts";
import {
  ACCESSES,
  AUTH_TYPE,
  LEASE_ANSWER_TYPE,
  MESSAGE_TYPE,
  STATE_SOURCES,
  SYNC_TYPE,
} from "./message-type.ts";

/** Where a claim has its secret: nobody looks at it any more. */
const NO_SECRET = new Uint8Array(16);
/** Why an id was granted: it was asked for. */
const REQUESTED = 0;

/** The bytes of a message: the payload of one binary websocket frame. Owned by the caller. */
export function encodeMessage(message: Message): Uint8Array {
  return encoding.encode((encoder) => {
    const update = writeHead(encoder, message);
    if (update !== undefined) encoding.writeUint8Array(encoder, update);
  });
}

/**
 * The same bytes, one behind the other: an update at the end of the message is the given one itself,
 * which may be megabytes, and not a copy.
 */
export function encodeInParts(message: Message): readonly Uint8Array[] {
  const encoder = encoding.createEncoder();
  const update = writeHead(encoder, message);
  const head = encoding.toUint8Array(encoder);
  return update === undefined ? [head] : [head, update];
}

/** Writes all but an update at the end, of which only the length; that update is returned. */
function writeHead(encoder: encoding.Encoder, message: Message): Uint8Array | undefined {
  const uint = (value: number): undefined => {
    encoding.writeVarUint(encoder, value);
  };
  const bytes = (value: Uint8Array): undefined => {
    encoding.writeVarUint8Array(encoder, value);
  };
  const text = (value: string): undefined => {
    encoding.writeVarString(encoder, value);
  };
  const body = (value: Uint8Array): Uint8Array => {
    uint(value.length);
    return value;
  };

  switch (message.kind) {
    case "step1":
      uint(MESSAGE_TYPE.sync);
      uint(SYNC_TYPE.step1);
      return bytes(message.stateVector);
    case "step2":
      uint(MESSAGE_TYPE.sync);
      uint(SYNC_TYPE.step2);
      return body(message.update);
    case "update":
      uint(MESSAGE_TYPE.sync);
      uint(SYNC_TYPE.update);
      return body(message.update);
    case "awareness":
      uint(MESSAGE_TYPE.awareness);
      return bytes(message.update);
    case "query_awareness":
      return uint(MESSAGE_TYPE.queryAwareness);
    case "permission_denied":
      uint(MESSAGE_TYPE.auth);
      uint(AUTH_TYPE.permissionDenied);
      return text(message.reason);
    case "hello":
      uint(MESSAGE_TYPE.hello);
      uint(message.version);
      bytes(message.instance);
      text(message.epoch);
      return uint(message.seq);
    case "welcome":
      uint(MESSAGE_TYPE.welcome);
      uint(message.version);
      text(message.epoch);
      uint(message.head);
      uint(STATE_SOURCES.indexOf(message.from));
      uint(ACCESSES.indexOf(message.access));
      return uint(message.maxMessageBytes);
    case "lease_request":
      uint(MESSAGE_TYPE.leaseRequest);
      return bytes(message.secret);
    case "lease_claim":
      uint(MESSAGE_TYPE.leaseClaim);
      uint(message.client);
      uint(message.clock);
      return bytes(NO_SECRET);
    case "lease_kept":
      uint(MESSAGE_TYPE.leaseAnswer);
      uint(LEASE_ANSWER_TYPE.kept);
      uint(message.client);
      return uint(message.clock);
    case "lease_granted":
      uint(MESSAGE_TYPE.leaseAnswer);
      uint(LEASE_ANSWER_TYPE.granted);
      uint(message.client);
      return uint(REQUESTED);
    case "sequenced":
      uint(MESSAGE_TYPE.sequenced);
      uint(message.seq);
      return body(message.update);
    case "caught_up":
      uint(MESSAGE_TYPE.caughtUp);
      return uint(message.seq);
    case "acknowledged":
      uint(MESSAGE_TYPE.acknowledged);
      uint(message.count);
      return uint(message.seq);
    case "refused":
      uint(MESSAGE_TYPE.refused);
      uint(message.number);
      text(message.code);
      return text(message.reason);
    case "unavailable":
      uint(MESSAGE_TYPE.unavailable);
      return uint(message.retryAfterMs);
    case "time_question":
      return uint(MESSAGE_TYPE.timeQuestion);
    case "time_answer":
      uint(MESSAGE_TYPE.timeAnswer);
      return uint(message.now);
  }
}
