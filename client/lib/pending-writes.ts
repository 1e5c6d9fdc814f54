import type { OutlineId } from "../../src/core/node-key.ts";
import { type OwnEdit, updatesOf } from "./outbox.ts";
import type { ClientChange } from "./store/client-changes.ts";
import type { ReplicaBatch, ReplicaPosition } from "./store/replica-store.ts";

/** What waits to be stored. */
export interface Pending {
  own: OwnEdit[];
  received: Uint8Array[];
  settled: number[];
  position: ReplicaPosition | undefined;
  outline: OutlineId | undefined;
  clients: readonly ClientChange[];
  isSent: boolean;
}

export function nothing(): Pending {
  return {
    own: [],
    received: [],
    settled: [],
    position: undefined,
    outline: undefined,
    clients: [],
    isSent: false,
  };
}

export function isEmpty(pending: Pending): boolean {
  const { own, received, settled, position, outline, clients, isSent } = pending;
  const isSomething = isSent || (position ?? outline) !== undefined;
  return own.length + received.length + settled.length + clients.length === 0 && !isSomething;
}

/** What waits in front comes first. */
export function joined(first: Pending, second: Pending): Pending {
  return {
    own: [...first.own, ...second.own],
    received: [...first.received, ...second.received],
    settled: [...first.settled, ...second.settled],
    position: second.position ?? first.position,
    outline: second.outline ?? first.outline,
    clients: [...first.clients, ...second.clients],
    isSent: first.isSent || second.isSent,
  };
}

/** As the store takes it. */
export function batchOf(pending: Pending): ReplicaBatch {
  const { own, received, settled, position, outline, clients, isSent } = pending;
  return {
    ...(isSent ? { isSent } : undefined),
    ...(received.length === 0 ? undefined : { received }),
    ...(own.length === 0 ? undefined : { own: updatesOf(own) }),
    ...(settled.length === 0 ? undefined : { settled }),
    ...(position === undefined ? undefined : { position }),
    ...(outline === undefined ? undefined : { outline }),
    ...(clients.length === 0 ? undefined : { clients }),
  };
}
