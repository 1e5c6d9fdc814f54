import { expect, test } from "vitest";
import * as Y from "yjs";
import type { UserId } from "../../src/accounts/account-store.ts";
import { decodeServerMessage } from "../../src/protocol/decode-message.ts";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import type { ServerMessage } from "../../src/protocol/message.ts";
import { addNode, countIn, namesIn } from "../support/socket-outline.ts";
import { startSocketServer } from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";

test("[S13] two stock clients and the server converge, whoever writes", async () => {
  const server = await startSocketServer();
  const one = server.stock();
  const two = server.stock({ protocols: [server.key] });
  await until(() => one.provider.synced && two.provider.synced);

  addNode(one.doc, "from one");
  addNode(two.doc, "from two");
  const served = await server.served();
  await served.write((doc) => addNode(doc, "from the API"));

  const all = ["from one", "from the API", "from two"];
  await until(() => countIn(one.doc) === 3 && countIn(two.doc) === 3);
  expect([namesIn(one.doc), namesIn(two.doc), namesIn(served.doc)]).toEqual([all, all, all]);
});

test("[S13] the provider's own path, /sync/<outline>, is the same room as /sync/me", async () => {
  const server = await startSocketServer();
  const one = server.stock();
  const peer = await server.peer({ path: `/sync/${server.outline}` });
  await until(() => one.provider.synced);
  peer.frame(encodeMessage({ kind: "step1", stateVector: new Uint8Array([0]) }));
  await until(() => peer.messages.length >= 2);
  addNode(one.doc, "x");
  await until(() => peer.messages.length >= 3);
});

test("[S14] a new client is sent updates, the last one as step 2, then is asked", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  for (let index = 0; index < 100; index++) {
    await served.write((doc) => addNode(doc, `${index} ${"x".repeat(5000)}`));
  }
  const peer = await server.peer();
  peer.frame(encodeMessage({ kind: "step1", stateVector: new Uint8Array([0]) }));
  const messagesOf = (): readonly ServerMessage[] =>
    peer.messages.map((bytes) => decodeServerMessage(bytes)) as ServerMessage[];
  await until(() => messagesOf().at(-1)?.kind === "step1");

  const messages = messagesOf();
  const doc = new Y.Doc();
  for (const message of messages) if ("update" in message) Y.applyUpdate(doc, message.update);
  expect(messages.length).toBeGreaterThan(3);
  expect(messages.map(({ kind }) => kind)).toEqual([
    ...Array.from({ length: messages.length - 2 }, () => "update"),
    "step2",
    "step1",
  ]);
  expect(namesIn(doc)).toEqual(namesIn(served.doc));
});

test("[S14] a crowd of new clients is sent a state that was read once for all of them", async () => {
  const reads: string[] = [];
  let letRead = (): void => undefined;
  const mayRead = new Promise<void>((resolve) => {
    letRead = resolve;
  });
  let isSlow = false;
  const server = await startSocketServer({
    documentLimits: { minCompactionBytes: 10_000 },
    async beforeLoad(_outline, read) {
      if (!isSlow) return;
      reads.push(read);
      await mayRead;
    },
  });
  const served = await server.served();
  await served.write((doc) => addNode(doc, "x".repeat(20_000)));
  await until(() => server.seen.compactions > 0);
  isSlow = true;
  const peers = await Promise.all(Array.from({ length: 20 }, () => server.peer()));
  const step1 = encodeMessage({ kind: "step1", stateVector: new Uint8Array([0]) });
  for (const peer of peers) peer.frame(step1);
  // They have arrived when a whole handshake has.
  await server.peer();
  letRead();
  await until(() => peers.every(({ messages }) => messages.length >= 2));
  expect(reads).toEqual(["chunk"]);
});

test("[Q58] a page that only looks uses up no client id, one that writes uses up one", async () => {
  const server = await startSocketServer({ documentLimits: { maxClients: 2 } });
  const served = await server.served();
  await served.write((doc) => addNode(doc, "by the server"));
  for (let load = 0; load < 5; load++) {
    const { doc, provider } = server.stock();
    provider.awareness.setLocalStateField("name", "reader");
    await until(() => provider.synced && countIn(doc) === 1);
    provider.disconnect();
  }
  const writer = server.stock();
  await until(() => writer.provider.synced);
  for (let edit = 0; edit < 5; edit++) addNode(writer.doc, `edit ${edit}`);
  await until(() => countIn(served.doc) === 6);

  // When there are none left it is told why.
  const last = server.stock();
  await until(() => last.provider.synced);
  addNode(last.doc, "one too many");
  await until(() => last.closed !== undefined);
  expect(last.closed?.code).toBe(4413);
  expect(last.closed?.reason).toContain("write under one of them");
});

test("[S13, P46] what a page has typed is saved with the next key of its user", async () => {
  const server = await startSocketServer();
  const first = await server.newKey();
  const page = server.stock({ protocols: ["yjs", first.key] });
  await until(() => page.provider.synced);
  addNode(page.doc, "saved");
  const served = await server.served();
  await until(() => countIn(served.doc) === 1);
  page.provider.disconnect();
  addNode(page.doc, "unsaved");
  await server.accounts.revokeKey("me" as UserId, first.id);

  const again = server.stock({ doc: page.doc });
  await until(() => countIn(served.doc) === 2);
  addNode(page.doc, "later");
  await until(() => countIn(served.doc) === 3);
  expect(again.closed).toBeUndefined();
});

test("[S15] a client that comes back is asked for its own, then sent the difference only", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  await served.write((doc) => addNode(doc, "x".repeat(100_000)));
  const { doc, provider } = server.stock();
  await until(() => provider.synced);
  provider.disconnect();
  await until(() => server.sync.sessions() === 0);
  addNode(doc, "offline");
  await served.write((target) => addNode(target, "meanwhile"));

  const peer = await server.peer();
  peer.frame(encodeMessage({ kind: "step1", stateVector: Y.encodeStateVector(doc) }));
  await until(() => peer.messages.length === 2);
  const [step1, step2] = peer.messages;
  expect(step2?.length).toBeLessThan(100);
  expect(step1 && decodeServerMessage(step1).kind).toBe("step1");

  provider.connect();
  await until(() => namesIn(served.doc).includes("offline"));
  await until(() => namesIn(doc).includes("meanwhile"));
});

test("[S23] a broadcast is one frame for a turn, and spares a lone author", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const reader = await server.peer();
  const writer = await server.peer();
  for (const peer of [reader, writer]) {
    peer.frame(encodeMessage({ kind: "step1", stateVector: new Uint8Array([0]) }));
  }
  await until(() => reader.messages.length === 2 && writer.messages.length === 2);
  const source = new Y.Doc();
  source.on("update", (update: Uint8Array) =>
    writer.frame(encodeMessage({ kind: "update", update })),
  );
  // With the first change the server writes down when it came.
  addNode(source, "first");
  await until(() => reader.messages.length === 3 && writer.messages.length === 3);
  server.store.hold();
  for (let index = 0; index < 10; index++) addNode(source, `${index}`);
  await until(() => countIn(served.doc) === 11);
  expect(reader.messages).toHaveLength(3);

  server.store.release();
  await until(() => reader.messages.length > 3);
  const [first, message] = reader.messages.slice(2).map((bytes) => decodeServerMessage(bytes));
  const doc = new Y.Doc();
  for (const each of [first, message]) {
    if (each?.kind === "update") Y.applyUpdate(doc, each.update);
  }
  expect(namesIn(doc)).toEqual(namesIn(source));
  await served.write((target) => addNode(target, "end"));
  await until(() => writer.messages.length > 3);
  expect([reader.messages.length, writer.messages.length]).toEqual([5, 4]);
});

test("[S30, S33] presences reach everybody, newcomers too, and end with the connection", async () => {
  const server = await startSocketServer();
  const one = server.stock();
  const two = server.stock();
  const states = (client: typeof one): unknown => [
    ...client.provider.awareness.getStates().values(),
  ];
  one.provider.awareness.setLocalState({ name: "one" });
  two.provider.awareness.setLocalState({ name: "two" });
  await until(() => one.provider.awareness.getStates().size === 2);
  await until(() => two.provider.awareness.getStates().size === 2);

  one.provider.awareness.setLocalState({ name: "one", at: 5 });
  await until(() => JSON.stringify(states(two)).includes('"at":5'));
  const three = server.stock();
  three.provider.awareness.setLocalState({ name: "three" });
  await until(() => two.provider.awareness.getStates().size === 3);
  await until(() => three.provider.awareness.getStates().size === 3);

  one.provider.disconnect();
  await until(() => two.provider.awareness.getStates().size === 2);
  one.provider.connect();
  await until(() => two.provider.awareness.getStates().size === 3);
  expect(JSON.stringify(states(two))).toContain('"at":5');
});

test("[S2] a stock client is never sent a message of ours", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const peer = await server.peer();
  const extended = server.extended();
  peer.frame(encodeMessage({ kind: "step1", stateVector: new Uint8Array([0]) }));
  await until(() => extended.isLive && peer.messages.length >= 2);
  addNode(extended.device.doc, "one");
  extended.announce({ client: 5, clock: 1, state: {} });
  await served.write((doc) => addNode(doc, "two"));
  server.clock.advance(15_000);
  const doc = new Y.Doc();
  doc.on("update", (update: Uint8Array) => peer.frame(encodeMessage({ kind: "update", update })));
  addNode(doc, "three");
  await until(() => countIn(served.doc) === 3 && extended.unsaved === 0);
  server.store.fail();
  addNode(doc, "four");
  await until(() => peer.closeCode !== undefined);
  expect(new Set(peer.messages.map((bytes) => bytes[0]))).toEqual(new Set([0, 1]));
});
