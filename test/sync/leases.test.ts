import { expect, test } from "vitest";
import * as Y from "yjs";
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

test("[S38] a device store gets an id of its own, and keeps it", async () => {
  const server = await startSocketServer();
  const [one, two] = [new Device(), new Device()];
  const first = server.extended({ device: one });
  const other = server.extended({ device: two });
  await until(() => first.isLive && other.isLive);
  expect(first.lease).toMatchObject({ kind: "lease_granted", cause: "requested" });
  expect(one.lease?.client).toBeLessThan(2 ** 28);
  expect(one.lease?.client).not.toBe(two.lease?.client);
  addNode(one.doc, "one");
  await until(() => first.unsaved === 0);
  first.close();
  await until(() => server.sync.sessions() === 1);

  const again = server.extended({ device: one });
  await until(() => again.isLive);
  expect(again.lease).toEqual({
    kind: "lease_kept",
    client: one.lease?.client,
    clock: Y.getState(one.doc.store, one.doc.clientID),
  });
});

test("[S38] a key that may only read gets no lease", async () => {
  const server = await startSocketServer();
  const { key } = await server.newKey({ scope: "read" });
  const client = server.extended({ key });
  await until(() => client.isLive);
  expect(client.lease).toEqual({ kind: "lease_denied" });
});

test("[S39] a copy that comes while the original is connected gets another id", async () => {
  const server = await startSocketServer();
  const original = new Device();
  const first = server.extended({ device: original });
  await until(() => first.isLive);
  const copy = server.extended({ device: original.copy() });
  await until(() => copy.isLive);
  expect(copy.lease).toMatchObject({ kind: "lease_granted", cause: "in_use" });
  expect(copy.device.lease?.client).not.toBe(original.lease?.client);

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
  const thief = server.extended({ device: new Device(), wantsLease: false });
  await until(() => thief.isLive);
  const client = device.lease?.client ?? 0;
  const secret = new Uint8Array(32);
  for (let claims = 0; claims < 15; claims++) {
    thief.send({ kind: "lease_claim", client, clock: 0, secret });
  }
  await until(() => thief.received.filter(({ kind }) => kind === "lease_granted").length === 15);
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
  expect(second.lease).toMatchObject({ kind: "lease_kept", client: device.lease?.client });
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
  expect(second.lease).toMatchObject({ kind: "lease_granted", cause: "behind" });
  addNode(copy.doc, "copy");
  await until(() => second.unsaved === 0);
  expect(namesIn((await server.served()).doc)).toEqual(["copy", "original"]);
});

test("[S41] an id that was never leased to the secret is replaced", async () => {
  const server = await startSocketServer();
  const device = new Device();
  const first = server.extended({ device });
  await until(() => first.isLive);
  first.close();
  await until(() => server.sync.sessions() === 0);
  const client = device.lease?.client ?? 0;
  for (const lease of [
    { client, secret: new Uint8Array(32) },
    { client: 77, secret: new Uint8Array(32) },
  ]) {
    const thief = new Device();
    thief.lease = lease;
    const second = server.extended({ device: thief });
    await until(() => second.isLive);
    expect(second.lease).toMatchObject({ kind: "lease_granted", cause: "unknown" });
  }
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
  expect(copied.lease).toMatchObject({ kind: "lease_kept" });
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

test("[Q58] when no id can be leased, a new store goes on without, and one that needs another comes later", async () => {
  const server = await startSocketServer({ documentLimits: { leasesPerKeyAndDay: 1 } });
  const device = new Device();
  const first = server.extended({ device });
  await until(() => first.isLive);
  const second = server.extended({ device: new Device() });
  await until(() => second.isLive);
  expect(second.lease).toEqual({ kind: "lease_denied" });
  addNode(second.device.doc, "under an id of its own");
  await until(() => second.unsaved === 0);

  const copy = server.extended({ device: device.copy() });
  await until(() => copy.closed !== undefined);
  expect(copy.closed).toEqual({
    code: 1013,
    reason: "too many client ids were given out: come again later",
  });
  expect(copy.received.find(({ kind }) => kind === "unavailable")).toEqual({
    kind: "unavailable",
    retryAfterMs: 60_000,
  });
  expect(server.seen.errors).toEqual([]);
  expect([first.closed, second.closed]).toEqual([undefined, undefined]);
});

test("[Q59] a key that may only read shows nobody's device, even before it comes", async () => {
  const server = await startSocketServer();
  const { key } = await server.newKey({ scope: "read" });
  const device = new Device();
  const holder = server.extended({ device });
  await until(() => holder.isLive);
  const client = device.lease?.client ?? 0;
  holder.close();
  await until(() => server.sync.sessions() === 0);

  const watcher = server.extended();
  const thief = server.extended({ key });
  await until(() => watcher.isLive && thief.isLive);
  thief.announce({ client, clock: 1_000, state: { name: "the device" } });
  const again = server.extended({ device });
  await until(() => again.isLive);
  again.announce({ client, clock: 1, state: { name: "me" } });
  await until(() => watcher.presences.has(client));
  const { clock, state } = watcher.presences.get(client) ?? {};
  expect([clock, Buffer.from(state ?? []).toString()]).toEqual([1, '{"name":"me"}']);
});
