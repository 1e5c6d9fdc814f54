import { expect, test } from "vitest";
import * as Y from "yjs";
import { FIRST_SEED_CLIENT } from "../../src/core/month-seed.ts";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import { addNode, countIn, namesIn } from "../support/socket-outline.ts";
import { startSocketServer } from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";
import { Device } from "../support/sync-client.ts";

const INSTANCE = new Uint8Array(16).fill(1);

/** Edits where no update event tells the outbox of a connected client. */
function text(device: Device): Y.Text {
  return device.doc.getMap<Y.Text>("nodes").get("aaaaaaaaaaaa") ?? new Y.Text();
}

function addText(doc: Y.Doc): void {
  doc.getMap<Y.Text>("nodes").set("aaaaaaaaaaaa", new Y.Text("-"));
}

test("[S38] a device claims the client id that it has taken, and keeps it", async () => {
  const server = await startSocketServer();
  const device = new Device();
  const { client } = device;
  const first = server.extended({ device });
  await until(() => first.isLive);
  expect(first.answer).toEqual({ kind: "id_kept", client, clock: 0 });
  addNode(device.doc, "one");
  await until(() => first.unsaved === 0);
  first.close();
  await until(() => server.sync.sessions() === 0);

  const again = server.extended({ device });
  await until(() => again.isLive);
  expect(again.answer).toEqual({
    kind: "id_kept",
    client,
    clock: Y.getState(device.doc.store, client),
  });
});

test("[S38] a key that may only read holds no id", async () => {
  const server = await startSocketServer();
  const { key } = await server.newKey({ scope: "read" });
  const client = server.extended({ key });
  await until(() => client.isLive);
  expect(client.answer).toEqual({ kind: "id_denied" });
});

test("[S38] a client from before, which asks for an id and has a secret for it, goes on", async () => {
  const server = await startSocketServer();
  const device = new Device();
  const before = server.extended({ device, claims: false });
  await until(() => before.isLive);
  const secret = [32, ...new Uint8Array(32).fill(9)];
  before.sendBytes(Uint8Array.of(102, ...secret));
  await until(() => before.answer !== undefined);
  const granted = before.answer;
  if (granted?.kind !== "id_granted") throw new Error(granted?.kind);
  expect(granted.cause).toBe("requested");
  expect(granted.client).toBeGreaterThanOrEqual(2 ** 28);
  addNode(device.doc, "under the id that it was given");
  await until(() => before.unsaved === 0);
  before.close();
  await until(() => server.sync.sessions() === 0);

  const again = server.extended({ device, claims: false });
  await until(() => again.isLive);
  const clock = Y.getState(device.doc.store, device.client);
  const claim = encodeMessage({ kind: "id_claim", client: device.client, clock });
  again.sendBytes(Uint8Array.of(...claim.subarray(0, -17), ...secret));
  await until(() => again.answer !== undefined);
  expect(again.answer).toEqual({ kind: "id_kept", client: device.client, clock });
});

test("[S39] a copy that comes while the original is connected gets another id", async () => {
  const server = await startSocketServer();
  const original = new Device();
  const first = server.extended({ device: original });
  await until(() => first.isLive);
  const copy = server.extended({ device: original.copy() });
  await until(() => copy.isLive);
  expect(copy.answer).toMatchObject({ kind: "id_granted", cause: "in_use" });
  expect(copy.device.client).not.toBe(original.client);

  addNode(original.doc, "original");
  addNode(copy.device.doc, "copy");
  const both = ["copy", "original"];
  await until(() => countIn(original.doc) === 2 && countIn(copy.device.doc) === 2);
  expect([namesIn(original.doc), namesIn(copy.device.doc)]).toEqual([both, both]);
});

test("[S39] claims of an id that another connection holds do it no harm, however many come", async () => {
  const server = await startSocketServer();
  const device = new Device();
  const holder = server.extended({ device });
  await until(() => holder.isLive);
  const thief = server.extended({ device: new Device(), claims: false });
  await until(() => thief.isLive);
  const { client } = device;
  for (let claims = 0; claims < 15; claims++) thief.send({ kind: "id_claim", client, clock: 0 });
  await until(() => thief.received.filter(({ kind }) => kind === "id_granted").length === 15);
  addNode(device.doc, "after");
  await until(() => holder.unsaved === 0 && countIn(thief.device.doc) === 1);
  expect([holder.closed, thief.closed]).toEqual([undefined, undefined]);
});

test("[S39] the same process takes its id over from a connection that is dead unawares", async () => {
  const server = await startSocketServer();
  const device = new Device();
  const first = server.extended({ device, instance: INSTANCE });
  await until(() => first.isLive);
  const second = server.extended({ device, instance: INSTANCE });
  await until(() => second.isLive);
  expect(second.answer).toMatchObject({ kind: "id_kept", client: device.client });
  await until(() => first.closed !== undefined && server.sync.sessions() === 1);
  addNode(device.doc, "after");
  await until(() => second.unsaved === 0);
});

test("[S40] a store with less than the server has under its id is an old copy: it gets another id", async () => {
  const server = await startSocketServer();
  const original = new Device();
  const first = server.extended({ device: original });
  await until(() => first.isLive);
  const copy = original.copy();
  addNode(original.doc, "original");
  await until(() => first.unsaved === 0);
  first.close();
  await until(() => server.sync.sessions() === 0);

  const second = server.extended({ device: copy });
  await until(() => second.isLive && countIn(copy.doc) === 1);
  expect(second.answer).toMatchObject({ kind: "id_granted", cause: "behind" });
  addNode(copy.doc, "copy");
  await until(() => second.unsaved === 0);
  expect(namesIn((await server.served()).doc)).toEqual(["copy", "original"]);
});

test("[S40] a store of another history gets another id, though the server has nothing under its own", async () => {
  const server = await startSocketServer();
  const device = new Device();
  device.epoch = "before the restore";
  const { client } = device;
  const session = server.extended({ device });
  await until(() => session.isLive);
  expect(session.answer).toMatchObject({ kind: "id_granted", cause: "behind" });
  expect(device.client).not.toBe(client);
});

test("[S41] an id of the server's, or of a seed, is replaced", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  await served.write((doc) => addNode(doc, "by the server"));
  const [ofServer = 0] = served.doc.store.clients.keys();
  for (const client of [ofServer, FIRST_SEED_CLIENT]) {
    const thief = new Device();
    const session = server.extended({ device: thief, claims: false });
    await until(() => session.isLive);
    session.send({ kind: "id_claim", client, clock: 2 ** 40 });
    await until(() => session.answer !== undefined);
    expect(session.answer).toMatchObject({ kind: "id_granted", cause: "unknown" });
  }
});

test("[S39, S43] who leaves before its claim is judged holds nothing", async () => {
  const server = await startSocketServer();
  const device = new Device();
  const { client } = device;
  const leaving = server.extended({ device });
  await until(() => leaving.isLive);
  for (let claims = 0; claims < 15; claims++) {
    leaving.send({ kind: "id_claim", client: client - claims, clock: 0 });
  }
  leaving.kill();
  await until(() => server.sync.sessions() === 0);
  const other = server.extended({ device: new Device() });
  await until(() => other.isLive);
  for (let claims = 0; claims < 15; claims++) {
    other.send({ kind: "id_claim", client: client - claims, clock: 0 });
  }
  await until(() => other.received.filter(({ kind }) => kind === "id_kept").length === 16);
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

  // Its clock is not behind: only the content tells.
  const copied = server.extended({ device: copy });
  await until(() => copied.refused.length > 0);
  expect(copied.answer).toMatchObject({ kind: "id_kept" });
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

test("[Q59] who claims an id is seen under it, whoever has shown it before", async () => {
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
  const again = server.extended({ device });
  await until(() => again.isLive);
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
