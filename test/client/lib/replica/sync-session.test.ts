import { expect, test } from "vitest";
import * as Y from "yjs";
import { SyncSession, type SessionHost } from "../../../../client/lib/sync-session.ts";
import type { ReplicaPosition } from "../../../../client/lib/store/replica-store.ts";
import type { ClientMessage } from "../../../../src/protocol/message.ts";

const NOTHING = (): void => undefined;

test("[L17] a device stays in its history until the new one has what it may have lost", () => {
  const doc = new Y.Doc();
  doc.getMap("nodes").set("a", 1);
  const reached: ReplicaPosition[] = [];
  const host: SessionHost = {
    doc,
    position: { epoch: "old", seq: 9 },
    outbox: [],
    leases: [],
    maySend: true,
    onReceived: (_update, position) => position && reached.push(position),
    onPosition: (position) => reached.push(position),
    onCaughtUp: NOTHING,
    onSettled: NOTHING,
    onRefused: NOTHING,
    onContradicted: NOTHING,
    onLeased: NOTHING,
    onInFlight: NOTHING,
  };
  const sent: ClientMessage["kind"][] = [];
  const session = new SyncSession(host, ({ kind }) => sent.push(kind), false);
  session.greet(new Uint8Array(16));
  session.onMessage({
    kind: "welcome",
    version: 1,
    epoch: "new",
    head: 3,
    from: "state",
    access: "write",
    maxMessageBytes: 1000,
  });
  session.onMessage({ kind: "sequenced", seq: 3, update: new Uint8Array([0, 0]) });
  session.onMessage({ kind: "caught_up", seq: 3 });
  session.onMessage({ kind: "step1", stateVector: new Uint8Array([0]) });
  expect(sent).toEqual(["hello", "step2"]);
  expect(reached).toEqual([]);
  session.onMessage({ kind: "acknowledged", count: 1, seq: 4 });
  expect(reached).toEqual([{ epoch: "new", seq: 4 }]);
});
