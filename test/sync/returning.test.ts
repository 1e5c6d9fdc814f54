import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import * as Y from "yjs";
import type { UserId } from "../../src/accounts/account-store.ts";
import { newOutlineId } from "../../src/core/node-key.ts";
import { nodesOf } from "../../src/core/schema.ts";
import { CLOSE_CODE } from "../../src/protocol/close-code.ts";
import { decodeServerMessage } from "../../src/protocol/decode-message.ts";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import type { ServerMessage } from "../../src/protocol/message.ts";
import { DocumentPin } from "../../src/sync/document-pin.ts";
import { DurableOutline } from "../../src/sync/durable-outline.ts";
import type { SyncDocuments } from "../../src/sync/sync-document.ts";
import { addNode, countIn, namesIn } from "../support/socket-outline.ts";
import {
  type SocketServer,
  type SocketServerOptions,
  startSocketServer,
} from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";
import { Device } from "../support/sync-client.ts";

/** A server that has no outline in memory, and a device that has written and left. */
async function afterRestart(options: SocketServerOptions = {}) {
  const server = await startSocketServer(options);
  const device = new Device();
  const client = server.extended({ device });
  await until(() => client.isLive);
  addNode(device.doc, "first");
  await until(() => client.unsaved === 0);
  await unload(server);
  return { server, device };
}

/** As a restart does it: the connections are closed, and nothing is in memory. */
async function unload({ documents, sync }: SocketServer): Promise<void> {
  documents.evictAll("restored");
  await until(() => sync.sessions() === 0 && documents.stats().open === 0);
}

test("[S110] a device that misses nothing goes on, and no outline is opened for it", async () => {
  const { server, device } = await afterRestart();
  const { seq } = device;
  const client = server.extended({ device });
  await until(() => client.isLive);
  expect(client.received.map(({ kind }) => kind).sort()).toEqual(["caught_up", "welcome"]);
  expect([device.seq, server.documents.stats().open]).toEqual([seq, 0]);

  // Nothing of that keeps it from writing, which opens the outline.
  addNode(device.doc, "second");
  await until(() => client.unsaved === 0);
  expect(client.refused).toEqual([]);
  expect(server.documents.stats().open).toBe(1);
  expect(namesIn((await server.served()).doc)).toEqual(["first", "second"]);
});

test("[S110] a device that misses a few updates is served from the log, and so is a new reader", async () => {
  const { server, device } = await afterRestart();
  const served = await server.served();
  for (let index = 0; index < 100; index++)
    await served.write((doc) => addNode(doc, `node ${index}`));
  await unload(server);
  const reader = new Device();
  const { key } = await server.newKey({ scope: "read" });
  const clients = [server.extended({ device }), server.extended({ device: reader, key })];
  await until(() => clients.every(({ isLive }) => isLive));
  expect(server.documents.stats().open).toBe(0);
  expect([countIn(device.doc), countIn(reader.doc)]).toEqual([101, 101]);
});

test("[S110] another device of the user that has nothing yet is sent all from the log, too", async () => {
  const { server } = await afterRestart();
  const another = server.extended({});
  await until(() => another.isLive);
  expect(server.documents.stats().open).toBe(0);
  expect(namesIn(another.device.doc)).toEqual(["first"]);
  addNode(another.device.doc, "second");
  await until(() => another.unsaved === 0);
  expect(namesIn((await server.served()).doc)).toEqual(["first", "second"]);
});

test("[S110, P76] a device that came before with a key for reading is noted when it may write", async () => {
  const server = await startSocketServer();
  await (await server.served()).write((doc) => addNode(doc, "by the server"));
  await unload(server);
  const { key } = await server.newKey({ scope: "read" });
  const device = new Device();
  const reader = server.extended({ device, key });
  await until(() => reader.isLive);
  expect(await server.log.hasDevices(server.outline)).toBe(false);
  await unload(server);

  const writer = server.extended({ device });
  await until(() => writer.isLive);
  expect(server.documents.stats().open).toBe(1);
  await (await server.served()).write((doc) => addNode(doc, "behind the note"));
  expect(await server.log.hasDevices(server.outline)).toBe(true);
});

test("[S110] a device that may know more than the server opens the outline, and is asked", async () => {
  const { server, device } = await afterRestart();
  device.epoch = "of another history";
  const client = server.extended({ device });
  await until(() => client.received.some(({ kind }) => kind === "step1"));
  expect(server.documents.stats().open).toBe(1);
});

test("[S110, S111] who comes behind the end of the log says what it has, and is sent the rest of what is stored", async () => {
  const { server, device } = await afterRestart({
    tail: { updates: 2, bytes: 1_000_000 },
    documentLimits: { minCompactionBytes: 100 },
  });
  const served = await server.served();
  for (let index = 0; index < 20; index++) {
    await served.write((doc) => addNode(doc, `node ${index}`));
  }
  await until(() => server.seen.compactions > 0);
  await unload(server);
  const client = server.extended({ device });
  await until(() => client.isLive);
  expect(client.received[0]).toMatchObject({ kind: "welcome", from: "rest" });
  expect(server.documents.stats().open).toBe(0);
  expect(countIn(device.doc)).toBe(21);
});

test("[S110, S8] a key that is revoked while the log is read is told nothing of it", async () => {
  let letRead: (() => void) | undefined;
  const { server, device } = await afterRestart({
    beforeLoad: async (_outline, read) => {
      if (read === "tail") await new Promise<void>((resolve) => (letRead = resolve));
    },
  });
  await (await server.served()).write((doc) => addNode(doc, "a secret"));
  await unload(server);
  const { id, key } = await server.newKey();
  const client = server.extended({ device, key });
  await until(() => letRead !== undefined);
  await server.accounts.revokeKey("me" as UserId, id);
  letRead?.();
  await until(() => client.closed !== undefined);
  expect(client.closed?.code).toBe(CLOSE_CODE.unauthorized);
  expect([client.received, namesIn(device.doc)]).toEqual([[], ["first"]]);
});

test("[S110, S20] what a reader that was served from the log writes is refused", async () => {
  const { server } = await afterRestart();
  const { key } = await server.newKey({ scope: "read" });
  const reader = server.extended({ key });
  await until(() => reader.isLive);
  addNode(reader.device.doc, "forbidden");
  await until(() => reader.refused.length > 0);
  expect(reader.refused[0]?.code).toBe("read_only");
  expect(namesIn((await server.served()).doc)).toEqual(["first"]);
});

test("[S110, P38] who was served from the log is told when the outline is removed", async () => {
  const { server, device } = await afterRestart();
  const client = server.extended({ device });
  await until(() => client.isLive);
  await server.documents.drop(server.outline);
  await until(() => client.closed !== undefined);
});

test("[S110] what is written while the log is read reaches the device, once and in order", async () => {
  let letRead: (() => void) | undefined;
  let isHeld = false;
  const { server, device } = await afterRestart({
    beforeLoad: async (_outline, read) => {
      if (isHeld && read === "tail") await new Promise<void>((resolve) => (letRead = resolve));
    },
  });
  await (await server.served()).write((doc) => addNode(doc, "missed"));
  await unload(server);
  isHeld = true;
  const client = server.extended({ device });
  await until(() => letRead !== undefined);
  isHeld = false;
  const served = await server.served();
  await served.write((doc) => addNode(doc, "meanwhile"));
  letRead?.();
  await until(() => client.isLive);
  await served.write((doc) => addNode(doc, "afterwards"));
  await until(() => countIn(device.doc) === 4);
  expect(namesIn(device.doc)).toEqual(["afterwards", "first", "meanwhile", "missed"]);
});

test("[S110, P56] what came late into the log reaches who listens with the next thing that is told", async () => {
  const { server, device } = await afterRestart();
  const client = server.extended({ device });
  await until(() => client.isLive);
  const late = new Y.Doc();
  addNode(late, "late");
  await server.log.append(server.outline, { updates: [Y.encodeStateAsUpdate(late)] });
  await (await server.served()).write((doc) => addNode(doc, "next"));
  await until(() => countIn(device.doc) === 3);
  expect(namesIn(device.doc)).toEqual(["first", "late", "next"]);
  expect(client.closed).toBe(undefined);
});

test("[S110, P56] what came late into the log, also behind a snapshot, is sent to who comes then, once", async () => {
  const { server, device } = await afterRestart();
  const first = server.extended({ device });
  await until(() => first.isLive);
  const { log, outline } = server;
  const state = { chunks: [Y.encodeStateAsUpdate(device.doc)], annex: new Uint8Array() };
  const stateVector = Y.encodeStateVector(device.doc);
  await log.saveSnapshot(outline, { seq: device.seq, stateVector, ...state });
  const late = new Y.Doc();
  addNode(late, "late");
  await log.append(outline, { updates: [Y.encodeStateAsUpdate(late)] });
  const returning = device.copy();
  const clients = [server.extended({ device: returning }), server.extended({})];
  await until(() => clients.every(({ isLive }) => isLive));
  for (const { received, device: brought } of clients) {
    expect(namesIn(brought.doc)).toEqual(["first", "late"]);
    expect(received.filter(({ kind }) => kind === "sequenced").length).toBeLessThan(3);
  }
  expect(server.documents.stats().open).toBe(0);
});

test("[S110] what is told while an outline is looked up counts, what was read before a loss does not", async () => {
  const outline = newOutlineId(Math.random);
  const reads: ((head: number) => void)[] = [];
  const documents = {
    unopened: () =>
      new Promise((resolve) => {
        reads.push((head) => {
          const read = {
            head,
            reach(told: number) {
              read.head = Math.max(read.head, told);
            },
          };
          resolve(read);
        });
      }),
  } as unknown as SyncDocuments;
  const pin = new DocumentPin({ documents, outline, now: () => 0, onOpen: () => undefined });
  const durable = new DurableOutline({ documents, outline, pin });
  const looked = durable.unopened(() => true);
  durable.reach(7);
  reads.shift()?.(5);
  expect((await looked)?.head).toBe(7);
  durable.forget();
  expect(durable.head).toBe(undefined);

  const anew = durable.unopened(() => true);
  durable.reach(9);
  durable.forget();
  reads.shift()?.(9);
  await turn();
  reads.shift()?.(2);
  expect([(await anew)?.head, durable.head]).toEqual([2, 2]);
});

/**
 * A server that has no outline in memory, and what a page of y-websocket had when it was closed: thirty
 * nodes that are in the snapshot, and a deletion behind it.
 *
 * @param isDeletedBefore whether something was deleted in the snapshot, too
 */
async function afterRestartOfPage(isDeletedBefore = false) {
  const server = await startSocketServer({ documentLimits: { minCompactionBytes: 2_000 } });
  const { doc, provider } = server.stock();
  await until(() => provider.synced);
  if (isDeletedBefore) addNode(doc, "of a moment");
  doc.transact(() => removeNode(doc, "of a moment"));
  for (let index = 0; index < 30; index++) addNode(doc, `node ${index} ${"x".repeat(100)}`);
  const served = await server.served();
  await until(() => countIn(served.doc) === 30 && server.seen.compactions > 0);
  doc.transact(() => removeNode(doc, "node 3"));
  await until(() => countIn(served.doc) === 29);
  // What the server repairs behind what it got has reached the page, too: a write waits for that.
  await served.write(() => undefined);
  await until(() => Y.equalSnapshots(Y.snapshot(served.doc), Y.snapshot(doc)));
  provider.disconnect();
  await until(() => server.sync.sessions() === 0);
  await unload(server);
  return { server, doc };
}

/** Takes the first node of which the text begins so out of the document. */
function removeNode(doc: Y.Doc, start: string): void {
  const nodes = nodesOf(doc);
  for (const [key, text] of nodes) {
    if (text.toJSON().startsWith(start)) return nodes.delete(key);
  }
}

/** What a client of y-websocket says that comes back, and what the server answers to that. */
async function comeBack(server: SocketServer, doc: Y.Doc) {
  const peer = await server.peer();
  const said = (): readonly ServerMessage[] =>
    peer.messages.map((bytes) => decodeServerMessage(bytes)) as ServerMessage[];
  peer.frame(encodeMessage({ kind: "step1", stateVector: Y.encodeStateVector(doc) }));
  await until(() => said().some(({ kind }) => kind === "step2"));
  const step1 = said().find(({ kind }) => kind === "step1");
  if (step1?.kind !== "step1") throw new Error("it was not asked");
  const update = Y.encodeStateAsUpdate(doc, step1.stateVector);
  for (const message of said()) if ("update" in message) Y.applyUpdate(doc, message.update);
  peer.frame(encodeMessage({ kind: "step2", update }));
  // Answered behind that.
  peer.frame(encodeMessage({ kind: "step1", stateVector: Y.encodeStateVector(doc) }));
  await until(() => said().filter(({ kind }) => kind === "step2").length >= 2);
  return { peer, said };
}

test("[S111] a page of a stock client that misses nothing opens no outline, and goes on", async () => {
  const { server, doc } = await afterRestartOfPage();
  const { peer, said } = await comeBack(server, doc);
  expect(server.documents.stats().open).toBe(0);
  expect(said().map(({ kind }) => kind)).toEqual(["step1", "step2", "step2"]);

  const before = Y.encodeStateVector(doc);
  addNode(doc, "later");
  peer.frame(encodeMessage({ kind: "update", update: Y.encodeStateAsUpdate(doc, before) }));
  const served = await server.served();
  await until(() => countIn(served.doc) === 30);
  await served.write((target) => addNode(target, "by the server"));
  await until(() => said().at(-1)?.kind === "update");
  expect(peer.closeCode).toBe(undefined);
});

test("[S111] it is told again what was deleted, in the snapshot and behind it, which changes nothing", async () => {
  const { server, doc } = await afterRestartOfPage(true);
  const had = Y.snapshot(doc);
  const { said } = await comeBack(server, doc);
  expect(server.documents.stats().open).toBe(0);
  const answer = ["update", "step2"];
  expect(said().map(({ kind }) => kind)).toEqual(["step1", ...answer, ...answer]);
  expect(Y.equalSnapshots(Y.snapshot(doc), had)).toBe(true);
});

test("[S111] a page that misses something is sent that, deletions too, and no outline is opened", async () => {
  const { server, doc } = await afterRestartOfPage();
  const other = server.stock();
  await until(() => other.provider.synced);
  expect(server.documents.stats().open).toBe(0);
  expect(countIn(other.doc)).toBe(29);
  addNode(other.doc, "missed");
  other.doc.transact(() => removeNode(other.doc, "node 5"));
  const served = await server.served();
  await until(() => countIn(served.doc) === 29 && namesIn(served.doc).includes("missed"));
  await until(() => Y.equalSnapshots(Y.snapshot(served.doc), Y.snapshot(other.doc)));
  other.provider.disconnect();
  await until(() => server.sync.sessions() === 0);
  await unload(server);

  await comeBack(server, doc);
  expect(server.documents.stats().open).toBe(0);
  expect(namesIn(doc)).toEqual(namesIn(other.doc));
});

test("[S111] what a page has deleted or written while it was away is taken, which opens the outline", async () => {
  for (const edit of [
    (doc: Y.Doc) => removeNode(doc, "node 7"),
    (doc: Y.Doc) => addNode(doc, "offline"),
  ]) {
    const { server, doc } = await afterRestartOfPage();
    edit(doc);
    await comeBack(server, doc);
    expect(server.documents.stats().open).toBe(1);
    const served = await server.served();
    await until(() => countIn(served.doc) === countIn(doc));
    expect(namesIn(served.doc)).toEqual(namesIn(doc));
  }
});

test("[S111] what was not asked for is judged, whatever it says", async () => {
  const { server, doc } = await afterRestartOfPage();
  const { peer } = await comeBack(server, doc);
  peer.frame(encodeMessage({ kind: "step2", update: Y.encodeStateAsUpdate(doc) }));
  await until(() => server.documents.stats().open === 1);
});
