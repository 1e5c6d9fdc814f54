import * as encoding from "lib0/encoding";
import * as string from "lib0/string";

import { MessageReader } from "./message-reader.ts";

/** One client's presence. */
export interface Presence {
  /** The Yjs client id it belongs to. */
  readonly client: number;
  /** Grows with every change: the greater clock holds. */
  readonly clock: number;
  /** UTF-8 JSON of the state; `null` says that the client is gone. */
  readonly state: Uint8Array;
}

/** What of an awareness update is read at most. */
interface AwarenessLimits {
  readonly maxPresences: number;
}

/** The state of a client that is gone. */
export const GONE: Uint8Array = string.encodeUtf8("null");

/**
 * The presences of an awareness update, as views into it; undefined when it is none or has more than
 * the limit. Never throws. The states are not parsed: see `isPresenceState`.
 */
export function readAwarenessUpdate(
  update: Uint8Array,
  limits: AwarenessLimits,
): readonly Presence[] | undefined {
  const reader = new MessageReader(update);
  const count = reader.uint();
  if (count > limits.maxPresences) return undefined;
  const presences: Presence[] = [];
  while (reader.ok && presences.length < count) {
    const client = reader.uint();
    const clock = reader.uint();
    presences.push({ client, clock, state: reader.view({ max: update.length }) });
  }
  return reader.complete ? presences : undefined;
}

/** The bytes of an awareness update, in the given order; the states are copied. */
export function encodeAwarenessUpdate(presences: readonly Presence[]): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, presences.length);
    for (const { client, clock, state } of presences) {
      encoding.writeVarUint(encoder, client);
      encoding.writeVarUint(encoder, clock);
      encoding.writeVarUint8Array(encoder, state);
    }
  });
}

/** True for the state of a client that is gone. */
export function isGone(state: Uint8Array): boolean {
  return state.length === GONE.length && state.every((byte, index) => byte === GONE[index]);
}

/** True for UTF-8 JSON; stock clients throw on anything else. */
export function isPresenceState(state: Uint8Array): boolean {
  try {
    JSON.parse(string.decodeUtf8(state));
    return true;
  } catch {
    return false;
  }
}
