import * as encoding from "lib0/encoding";
import { expect, test } from "vitest";
import * as Y from "yjs";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import { addNode, countIn } from "../support/socket-outline.ts";
import { type SocketServer, startSocketServer } from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";
import { Device } from "../support/sync-client.ts";

const INSTANCE = new Uint8Array(16).fill(1);
const ANOTHER = new Uint8Array(16).fill(2);

/** A number as messages have it. */
function varUint(number: number): Uint8Array {
  return encoding.encode((encoder) => encoding.writeVarUint(encoder, number));
}

/** Edits where no update event tells the outbox of a connected client. */
function text(device: Device): Y.Text {
  return device.doc.getMap<Y.Text>("nodes").get("aaaaaaaaaaaa") ?? new Y.Text();
}

function addText(doc: Y.Doc): void {
  doc.getMap<Y.Text>("nodes").set("aaaaaaaaaaaa", new Y.Text("-"));
}

/** A device that is connected and has written under its id. */
async function writerOn(server: SocketServer, device: Device, instance = ANOTHER) {
  const client = server.extended({ device, instance });
  await until(() => client.isLive);
  addNode(device.doc, `first of ${device.client}`);
  await until(() => client.unsaved === 0);
  return client;
}

function foreign(number: number): unknown {
  return expect.objectContaining({ number, code: "foreign_client" });
}

test("[S60] who is the first to write under an id has it, until they leave", async () => {
  const server = await startSocketServer();
  const original = new Device();
  const first = await writerOn(server, original);
  const copied = original.copy();
  const copy = server.extended({ device: copied });
  await until(() => copy.isLive);
  addNode(copied.doc, "by the copy");
  await until(() => copy.refused.length > 0);
  expect(copy.refused).toEqual([foreign(1)]);
  addNode(original.doc, "by the original");
  await until(() => first.unsaved === 0);
  expect([first.closed, copy.closed]).toEqual([undefined, undefined]);
  copy.kill();
  first.close();
  await until(() => server.sync.sessions() === 0);

  const again = server.extended({ device: original });
  await until(() => again.isLive);
  addNode(original.doc, "from another process");
  await until(() => again.unsaved === 0);
  expect(again.refused).toEqual([]);
});

test("[S60] a copy does not have acknowledged what the original has written, and deleted since", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const original = new Device();
  const first = server.extended({ device: original });
  await until(() => first.isLive);
  addText(original.doc);
  await until(() => first.unsaved === 0);
  const copied = original.copy();
  // Of equal length, and nothing is left of the one that could be compared with the other.
  original.doc.transact(() => {
    text(original).insert(1, "ab");
    text(original).delete(1, 2);
  });
  text(copied).insert(1, "xy");
  await until(() => first.unsaved === 0);
  const copy = server.extended({ device: copied });
  await until(() => copy.refused.length > 0);
  expect(copy.refused).toEqual([foreign(1)]);
  expect(served.doc.getMap<Y.Text>("nodes").get("aaaaaaaaaaaa")?.toJSON()).toBe("-");
});

test("[S60] the same process takes its id over from a connection that is dead unawares", async () => {
  const server = await startSocketServer();
  const device = new Device();
  const first = await writerOn(server, device, INSTANCE);
  // As the process has it, of which the first connection hears no more.
  const same = device.copy();
  const second = server.extended({ device: same, instance: INSTANCE });
  await until(() => second.isLive);
  addNode(same.doc, "after");
  await until(() => second.unsaved === 0);
  expect(second.refused).toEqual([]);
  first.kill();
  await until(() => server.sync.sessions() === 1);
  const copied = same.copy();
  const copy = server.extended({ device: copied });
  await until(() => copy.isLive);
  addNode(copied.doc, "by a copy");
  await until(() => copy.refused.length > 0);
  expect(copy.refused).toEqual([foreign(1)]);
});

test("[S60, S43] who leaves before what it sent is judged has nothing", async () => {
  const server = await startSocketServer();
  const device = new Device();
  const leaving = server.extended({ device });
  await until(() => leaving.isLive);
  const copied = device.copy();
  addNode(device.doc, "on its way");
  leaving.kill();
  await until(() => server.sync.sessions() === 0);
  const copy = server.extended({ device: copied });
  await until(() => copy.isLive);
  addNode(copied.doc, "by a copy");
  await until(() => copy.unsaved === 0 || copy.refused.length > 0);
  expect(copy.refused.filter(({ code }) => code === "foreign_client")).toEqual([]);
});

test("[S60, S61] a step 2 and a stock client repeat what others have written, and add nothing to it", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const device = new Device();
  const client = await writerOn(server, device);
  const other = server.extended({ device: new Device() });
  await until(() => other.isLive);
  const known = Y.encodeStateAsUpdate(device.doc);
  other.send({ kind: "step2", update: known });
  await until(() => other.received.some(({ kind }) => kind === "acknowledged"));
  const ahead = device.copy();
  addNode(ahead.doc, "not by the device");
  other.send({ kind: "step2", update: Y.encodeStateAsUpdate(ahead.doc) });
  await until(() => other.refused.length > 0);
  expect(other.refused).toEqual([foreign(2)]);

  const stock = server.stock();
  await until(() => stock.provider.synced);
  const socket = stock.provider.ws as unknown as { send(bytes: Uint8Array): void };
  socket.send(encodeMessage({ kind: "update", update: known }));
  addNode(device.doc, "later");
  await until(() => client.unsaved === 0 && countIn(stock.doc) === 2);
  let closedWith = 0;
  stock.provider.on("connection-close", (event) => (closedWith = event?.code ?? 0));
  socket.send(encodeMessage({ kind: "update", update: Y.encodeStateAsUpdate(ahead.doc) }));
  await until(() => closedWith > 0);
  expect(countIn(served.doc)).toBe(2);
  expect(client.refused).toEqual([]);
});

test("[S20, S60] what is refused is told before what came behind it counts as durable", async () => {
  const server = await startSocketServer();
  const original = new Device();
  await writerOn(server, original);
  const copied = original.copy();
  const copy = server.extended({ device: copied });
  await until(() => copy.isLive);
  const others = new Device();
  addNode(others.doc, "under an id of its own");
  copied.doc.once("update", (update: Uint8Array) => {
    copy.send({ kind: "update", update });
    copy.send({ kind: "update", update: Y.encodeStateAsUpdate(others.doc) });
  });
  copied.outbox = [];
  copied.doc.transact(() => addNode(copied.doc, "by the copy"), "server");
  const answers = (): readonly unknown[] =>
    copy.received.filter(
      (message) =>
        message.kind === "refused" || (message.kind === "acknowledged" && message.count > 0),
    );
  await until(() => answers().length >= 2);
  expect(answers()).toEqual([
    foreign(1),
    expect.objectContaining({ kind: "acknowledged", count: 2 }),
  ]);
});

test("[S62] a client of before, which has ids leased, goes on", async () => {
  const server = await startSocketServer();
  const device = new Device();
  const before = server.extended({ device });
  await until(() => before.isLive);
  const secret = new Uint8Array(32).fill(9);
  before.send({ kind: "lease_request", secret });
  await until(() => before.received.some(({ kind }) => kind === "lease_granted"));
  const granted = before.received.find((message) => message.kind === "lease_granted");
  const client = granted?.client ?? 0;
  expect(client).toBeGreaterThanOrEqual(2 ** 28);
  device.client = client;
  addNode(device.doc, "under the id that it was given");
  await until(() => before.unsaved === 0);
  before.close();
  await until(() => server.sync.sessions() === 0);

  const again = server.extended({ device });
  await until(() => again.isLive);
  again.sendBytes(Uint8Array.of(103, ...varUint(client), 4, 32, ...secret));
  await until(() => again.received.some(({ kind }) => kind === "lease_kept"));
  expect(again.received).toContainEqual({ kind: "lease_kept", client, clock: 4 });
  for (let count = 0; count < 10; count++) again.send({ kind: "lease_request", secret });
  addNode(device.doc, "again");
  await until(() => again.unsaved === 0);
  expect(again.closed).toBe(undefined);
});

test("[S42] two copies that wrote offline under one id: the second is told, and writes anew", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const original = new Device();
  const first = server.extended({ device: original });
  await until(() => first.isLive);
  addText(original.doc);
  await until(() => first.unsaved === 0);
  first.close();
  await until(() => server.sync.sessions() === 0);
  const copy = original.copy();
  text(original).insert(1, "ab");
  text(copy).insert(1, "wxyz");
  const resumed = server.extended({ device: original });
  await until(() => resumed.isLive && resumed.unsaved === 0);
  resumed.close();
  await until(() => server.sync.sessions() === 0);

  const copied = server.extended({ device: copy });
  await until(() => copied.refused.length > 0);
  expect(copied.refused[0]).toMatchObject({ number: 1, code: "conflict" });
  expect(copied.unsaved).toBe(1);
  const names = (): unknown => served.doc.getMap<Y.Text>("nodes").get("aaaaaaaaaaaa")?.toJSON();
  expect(names()).toBe("-ab");

  copied.kill();
  const fresh = new Device();
  const restarted = server.extended({ device: fresh });
  await until(() => restarted.isLive);
  text(fresh).insert(1, "wxyz");
  await until(() => restarted.unsaved === 0);
  expect(names()).toBe("-wxyzab");
});

test("[S42] of two copies that make one node anew, the second is told; a stock client can't be", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const [one, two] = [new Device(), new Device()];
  for (const device of [one, two]) addText(device.doc);
  text(two).insert(1, "two");
  const first = server.extended({ device: one });
  await until(() => first.isLive && first.unsaved === 0);
  const node = served.doc.getMap<Y.Text>("nodes").get("aaaaaaaaaaaa");
  const second = server.extended({ device: two });
  await until(() => second.refused.length > 0);
  expect(second.refused[0]).toMatchObject({ code: "conflict" });
  expect(served.doc.getMap("nodes").get("aaaaaaaaaaaa")).toBe(node);

  const stock = server.stock();
  await until(() => stock.provider.synced);
  const blind = new Y.Doc();
  blind.clientID = 2 ** 32 - 1;
  addText(blind);
  Y.applyUpdate(stock.doc, Y.encodeStateAsUpdate(blind));
  await until(() => served.doc.store.clients.has(blind.clientID));
});

test("[Q59] who writes under an id is seen under it, whoever has shown it before", async () => {
  const server = await startSocketServer();
  const { key } = await server.newKey({ scope: "read" });
  const device = new Device();
  const { client } = device;
  const watcher = server.extended();
  const thief = server.extended({ key });
  await until(() => watcher.isLive && thief.isLive);
  thief.announce({ client, clock: 1_000, state: { name: "the device" } });
  const shown = (): string => Buffer.from(watcher.presences.get(client)?.state ?? []).toString();
  await until(() => shown() === '{"name":"the device"}');
  const again = await writerOn(server, device);
  again.announce({ client, clock: 1, state: { name: "me" } });
  // It is told that it was gone, and says so with a greater clock.
  const told = (): string => Buffer.from(again.presences.get(client)?.state ?? []).toString();
  await until(() => told() === "null");
  again.announce({ client, clock: 1_001, state: { name: "me" } });
  await until(() => shown() === '{"name":"me"}');
  thief.announce({ client, clock: 2_000, state: { name: "the device" } });
  watcher.announce({ client: watcher.device.client, clock: 1, state: { name: "watcher" } });
  await until(() => again.presences.has(watcher.device.client));
  expect(shown()).toBe('{"name":"me"}');
});
