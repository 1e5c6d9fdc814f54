import { expect, test } from "vitest";
import * as Y from "yjs";
import { SyncSession, type SessionHost } from "../../../../client/lib/sync-session.ts";
import type { ReplicaPosition } from "../../../../client/lib/store/replica-store.ts";
import { seedFor } from "../../../../src/core/calendar/month-seed.ts";
import { monthKey } from "../../../../src/core/node-key.ts";
import { nodesOf, textOf } from "../../../../src/core/schema.ts";
import { DEFAULT_UPDATE_LIMITS } from "../../../../src/core/updates/update-limits.ts";
import type { ClientMessage } from "../../../../src/protocol/message.ts";

const NOTHING = (): void => undefined;

function quietHost(doc: Y.Doc): SessionHost {
  return {
    doc,
    position: { epoch: "", seq: 0 },
    outbox: [],
    got: () => Y.encodeStateVector(doc),
    maySend: true,
    onReceived: NOTHING,
    onPosition: NOTHING,
    onCaughtUp: NOTHING,
    onSending: NOTHING,
    onSettled: NOTHING,
    onRefused: NOTHING,
    onContradicted: NOTHING,
    onOtherHistory: NOTHING,
    onAwaited: NOTHING,
    yieldNow: async () => undefined,
  };
}

test("[L17] a device stays in its history until the new one has what it may have lost", () => {
  const doc = new Y.Doc();
  doc.getMap("nodes").set("a", 1);
  const reached: ReplicaPosition[] = [];
  const host: SessionHost = {
    ...quietHost(doc),
    position: { epoch: "old", seq: 9 },
    onReceived: (_update, position) => position && reached.push(position),
    onPosition: (position) => reached.push(position),
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

/** The updates in which a session sends one edit that is all that is in a document. */
function sentOf(doc: Y.Doc): readonly Y.AbstractStruct[][] {
  const update = Y.encodeStateAsUpdate(doc);
  expect(update.length).toBeLessThan(4 * 1024 * 1024);
  const edit = { token: "t", madeAt: 0, update, number: undefined };
  const sent: Y.AbstractStruct[][] = [];
  const send = (message: ClientMessage): number => {
    if (message.kind === "update") sent.push(Y.decodeUpdate(message.update).structs);
    return 0;
  };
  const session = new SyncSession({ ...quietHost(doc), outbox: [edit] }, send, false);
  session.greet(new Uint8Array(16));
  session.onMessage({
    kind: "welcome",
    version: 1,
    epoch: "e",
    head: 0,
    from: "seq",
    access: "write",
    maxMessageBytes: 4 * 1024 * 1024,
  });
  session.onMessage({ kind: "caught_up", seq: 0 });
  return sent;
}

test("[L24] an edit of more structs than the server takes in one update goes in several", () => {
  const doc = new Y.Doc();
  doc.transact(() => {
    const nodes = doc.getMap<Y.Text>("nodes");
    for (let count = 0; count < 80_000; count++) {
      const text = new Y.Text();
      nodes.set(String(count), text);
      text.setAttribute("l", "h1");
    }
  });
  const sent = sentOf(doc).map((structs) => structs.length);
  expect(sent.reduce((sum, count) => sum + count, 0)).toBe(160_000);
  expect(Math.max(...sent)).toBeLessThan(DEFAULT_UPDATE_LIMITS.maxStructs);
});

test("[L5] on a slow line the answer to the oldest message is waited for, not to all that is on its way", () => {
  const doc = new Y.Doc();
  const awaited: number[] = [];
  const outbox = [1, 2, 3].map((number) => {
    const before = Y.encodeStateVector(doc);
    doc.getText("t").insert(0, "x".repeat(60_000));
    return { token: `${number}`, madeAt: 0, update: Y.encodeStateAsUpdate(doc, before), number };
  });
  const host = { ...quietHost(doc), outbox, onAwaited: (bytes: number) => awaited.push(bytes) };
  const session = new SyncSession(host, () => 60_010, false);
  session.greet(new Uint8Array(16));
  session.onMessage({
    kind: "welcome",
    version: 1,
    epoch: "e",
    head: 0,
    from: "seq",
    access: "write",
    maxMessageBytes: 4 * 1024 * 1024,
  });
  session.onMessage({ kind: "caught_up", seq: 0 });
  session.onMessage({ kind: "acknowledged", count: 2, seq: 0 });
  expect(new Set(awaited)).toEqual(new Set([60_010]));
});

test("[L24] an edit that makes the calendar of many years goes in several too", () => {
  const doc = new Y.Doc();
  const months = Array.from({ length: 264 }, (_, at) =>
    monthKey(2000 + Math.floor(at / 12), (at % 12) + 1),
  );
  for (const month of months) Y.applyUpdate(doc, seedFor(month) ?? new Uint8Array());
  doc.transact(() => {
    for (const month of months) textOf(nodesOf(doc), month)?.setAttribute("l", "h1");
  });
  const sent = sentOf(doc).map((structs) => new Set(structs.map(({ id }) => id.client)).size);
  expect(sent.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(264);
  // The server takes so many.
  expect(Math.max(...sent)).toBeLessThanOrEqual(200);
});

test("[L127] what others have written is here before the session says that it is", () => {
  const doc = new Y.Doc();
  const heard: string[] = [];
  const session: SyncSession = new SyncSession(
    {
      ...quietHost(doc),
      onReceived: (_update, position) => heard.push(`received ${position?.seq}`),
      onPosition: ({ seq }) => heard.push(`at ${seq}`),
      onCaughtUp: () => {
        heard.push("caught up");
        session.end();
      },
    },
    () => 0,
    false,
  );
  session.greet(new Uint8Array(16));
  session.onMessage({
    kind: "welcome",
    version: 1,
    epoch: "e",
    head: 2,
    from: "seq",
    access: "write",
    maxMessageBytes: 1000,
  });
  const update = new Uint8Array([0, 0]);
  session.onMessage({ kind: "sequenced", seq: 1, update });
  session.onMessage({ kind: "sequenced", seq: 2, update });
  expect(heard).toEqual([]);
  session.onMessage({ kind: "caught_up", seq: 2 });
  expect(heard).toEqual(["received 2", "at 2", "caught up"]);
  session.onMessage({ kind: "acknowledged", count: 0, seq: 3 });
  expect(heard.length).toBe(3);
});
