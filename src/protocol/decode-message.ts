import type { ClientMessage, Message, ServerMessage } from "./message.ts";
import { MessageReader } from "./message-reader.ts";
import {
  ACCESSES,
  AUTH_TYPE,
  LEASE_ANSWER_TYPE,
  MESSAGE_TYPE,
  STATE_SOURCES,
  SYNC_TYPE,
} from "./message-type.ts";

/** The bytes are no message that this side may receive. `detail` is for a person. */
export interface Malformed {
  readonly kind: "malformed";
  readonly detail: string;
}

const MAX_TEXT_BYTES = 1024;
const MAX_EPOCH_BYTES = 64;
/** Of an instance, and of the bytes that end a question for leases. */
const TOKEN_BYTES = { min: 16, max: 64 } as const;

/**
 * The message that a client sent, or what is wrong with it; never throws. Updates and state vectors
 * are copies, but nothing is known about what is in them. Anything behind the message's last field
 * is refused, as is every kind that only servers send.
 */
export function decodeClientMessage(bytes: Uint8Array): ClientMessage | Malformed {
  const reader = new MessageReader(bytes);
  const message = readClientMessage(reader, bytes.length);
  return finished(reader, message);
}

/** The message that a server sent, or what is wrong with it; as `decodeClientMessage`. */
export function decodeServerMessage(bytes: Uint8Array): ServerMessage | Malformed {
  const reader = new MessageReader(bytes);
  const message = readServerMessage(reader, bytes.length);
  return finished(reader, message);
}

function finished<T extends Message>(reader: MessageReader, message: T | Malformed): T | Malformed {
  if (!reader.ok)
    return { kind: "malformed", detail: "the message ends early or is out of bounds" };
  if (message.kind !== "malformed" && !reader.complete) {
    return { kind: "malformed", detail: `there are bytes behind the ${message.kind} message` };
  }
  return message;
}

function readClientMessage(reader: MessageReader, max: number): ClientMessage | Malformed {
  const type = reader.uint();
  switch (type) {
    case MESSAGE_TYPE.sync:
      return readSync(reader, max);
    case MESSAGE_TYPE.awareness:
      return { kind: "awareness", update: reader.bytes({ max }) };
    case MESSAGE_TYPE.queryAwareness:
      return { kind: "query_awareness" };
    case MESSAGE_TYPE.hello:
      return {
        kind: "hello",
        version: reader.uint(),
        instance: reader.bytes(TOKEN_BYTES),
        epoch: reader.text({ max: MAX_EPOCH_BYTES }),
        seq: reader.uint(),
      };
    case MESSAGE_TYPE.leaseRequest:
      return { kind: "lease_request", secret: reader.bytes(TOKEN_BYTES) };
    case MESSAGE_TYPE.leaseClaim: {
      const claim = { kind: "lease_claim", client: reader.uint(), clock: reader.uint() } as const;
      reader.bytes(TOKEN_BYTES);
      return claim;
    }
    case MESSAGE_TYPE.timeQuestion:
      return { kind: "time_question" };
    default:
      return unknownType("a client", type);
  }
}

function readServerMessage(reader: MessageReader, max: number): ServerMessage | Malformed {
  const type = reader.uint();
  switch (type) {
    case MESSAGE_TYPE.sync:
      return readSync(reader, max);
    case MESSAGE_TYPE.awareness:
      return { kind: "awareness", update: reader.bytes({ max }) };
    case MESSAGE_TYPE.queryAwareness:
      return { kind: "query_awareness" };
    case MESSAGE_TYPE.auth: {
      const subtype = reader.uint();
      if (subtype !== AUTH_TYPE.permissionDenied) return unknownType("an auth message", subtype);
      return { kind: "permission_denied", reason: reader.text({ max: MAX_TEXT_BYTES }) };
    }
    case MESSAGE_TYPE.welcome:
      return {
        kind: "welcome",
        version: reader.uint(),
        epoch: reader.text({ max: MAX_EPOCH_BYTES }),
        head: reader.uint(),
        from: reader.oneOf(STATE_SOURCES),
        access: reader.oneOf(ACCESSES),
        maxMessageBytes: reader.uint(),
      };
    case MESSAGE_TYPE.leaseAnswer:
      return readLeaseAnswer(reader);
    case MESSAGE_TYPE.sequenced:
      return { kind: "sequenced", seq: reader.uint(), update: reader.bytes({ max }) };
    case MESSAGE_TYPE.caughtUp:
      return { kind: "caught_up", seq: reader.uint() };
    case MESSAGE_TYPE.acknowledged:
      return { kind: "acknowledged", count: reader.uint(), seq: reader.uint() };
    case MESSAGE_TYPE.refused:
      return {
        kind: "refused",
        number: reader.uint(),
        code: reader.text({ max: MAX_TEXT_BYTES }),
        reason: reader.text({ max: MAX_TEXT_BYTES }),
      };
    case MESSAGE_TYPE.unavailable:
      return { kind: "unavailable", retryAfterMs: reader.uint() };
    case MESSAGE_TYPE.timeAnswer:
      return { kind: "time_answer", now: reader.uint() };
    default:
      return unknownType("a server", type);
  }
}

function readSync(reader: MessageReader, max: number): (ClientMessage & ServerMessage) | Malformed {
  const subtype = reader.uint();
  switch (subtype) {
    case SYNC_TYPE.step1:
      return { kind: "step1", stateVector: reader.bytes({ max }) };
    case SYNC_TYPE.step2:
      return { kind: "step2", update: reader.bytes({ max }) };
    case SYNC_TYPE.update:
      return { kind: "update", update: reader.bytes({ max }) };
    default:
      return unknownType("a sync message", subtype);
  }
}

function readLeaseAnswer(reader: MessageReader): ServerMessage | Malformed {
  const subtype = reader.uint();
  switch (subtype) {
    case LEASE_ANSWER_TYPE.kept:
      return { kind: "lease_kept", client: reader.uint(), clock: reader.uint() };
    case LEASE_ANSWER_TYPE.granted: {
      const granted = { kind: "lease_granted", client: reader.uint() } as const;
      reader.uint();
      return granted;
    }
    default:
      return unknownType("a lease's answer", subtype);
  }
}

function unknownType(of: string, type: number): Malformed {
  return { kind: "malformed", detail: `${type} is no type of ${of}` };
}
