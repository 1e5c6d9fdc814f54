import { expect, test } from "vitest";
import type * as Y from "yjs";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import { addNode, countIn, namesIn } from "../support/socket-outline.ts";
import { startSocketServer } from "../support/socket-server.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/message.ts";
import { until } from "../support/socket-until.ts";
import { Device } from "../support/sync-client.ts";

const kindsOf = (client: { received: readonly { kind: string }[] }): readonly string[] =>
  client.received.map(({ kind }) => kind).filter((kind) => !kind.startsWith("id_"));

test("[S16] a new device is welcomed with the whole state, and sends what it has", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  await served.write((doc) => addNode(doc, "from the API"));
  const device = new Device();
  addNode(device.doc, "written before the first contact");
  const client = server.extended({ device });
  await until(() => client.isLive && client.unsaved === 0);

  expect(kindsOf(client).slice(0, 3)).toEqual(["welcome", "sequenced", "caught_up"]);
  expect(kindsOf(client)).toContain("acknowledged");
  expect(client.received.find(({ kind }) => kind === "welcome")).toEqual({
    kind: "welcome",
    version: PROTOCOL_VERSION,
    epoch: served.epoch,
    head: 1,
    from: "state",
    access: "write",
    maxMessageBytes: 4 * 1024 * 1024,
  });
  expect(namesIn(device.doc)).toEqual(["from the API", "written before the first contact"]);
});

test("[S16] a device that comes back resumes by its sequence number, whatever the outline's size", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const device = new Device();
  const first = server.extended({ device });
  await until(() => first.isLive);
  await served.write((doc) => {
    for (let index = 0; index < 2000; index++) addNode(doc, `node ${index}`);
  });
  // Deletions make what a state vector can't tell: the whole delete set goes along with each diff.
  await served.write((doc) => {
    for (const text of doc.getMap<Y.Text>("nodes").values()) text.delete(0, 2);
  });
  await until(() => countIn(device.doc) === 2000 && device.seq === served.head);
  first.close();
  await until(() => server.sync.sessions() === 0);
  for (let index = 0; index < 10; index++) {
    await served.write((doc) => addNode(doc, `meanwhile ${index}`));
  }

  const second = server.extended({ device });
  await until(() => second.isLive);
  expect(kindsOf(second)).toEqual(["welcome", "sequenced", "caught_up"]);
  expect(second.received.find(({ kind }) => kind === "welcome")).toMatchObject({ from: "seq" });
  expect(second.bytesReceived).toBeLessThan(1024);
  expect(namesIn(device.doc)).toEqual(namesIn(served.doc));
  expect(device.seq).toBe(served.head);
});

test("[S16, S49] a device of another history gets the whole state, one of this history what it lacks of it", async () => {
  const server = await startSocketServer({
    documentLimits: { minCompactionBytes: 2000 },
    tail: { updates: 5, bytes: 1_000_000 },
  });
  const served = await server.served();
  for (let index = 0; index < 30; index++) {
    await served.write((doc) => addNode(doc, `${index} ${"x".repeat(100)}`));
  }
  const from = async (epoch: string, seq: number): Promise<unknown> => {
    const device = new Device();
    device.epoch = epoch;
    device.seq = seq;
    const client = server.extended({ device });
    await until(() => client.isLive);
    await until(() => device.seq === served.head);
    const [welcome] = client.received;
    return welcome?.kind === "welcome" && [welcome.from, countIn(device.doc)];
  };
  const { head, epoch } = served;
  expect(await from(epoch, head)).toEqual(["seq", 0]);
  expect(await from("another", head)).toEqual(["state", 30]);
  expect(await from(epoch, 0)).toEqual(["rest", 30]);
  expect(await from("", 0)).toEqual(["state", 30]);
  expect(await from(epoch, head + 1)).toEqual(["state", 30]);

  // What a device answers that was asked last may use the outline once more.
  await until(() => {
    server.clock.advance(20 * 60_000);
    return server.documents.stats().open === 0;
  });
  expect(await from(epoch, 1)).toEqual(["rest", 30]);
});

test("[S16] a server that lost what it had acknowledged is given it by a device that has it", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  await served.write((doc) => addNode(doc, "still there"));
  const device = new Device();
  addNode(device.doc, "acknowledged once");
  device.outbox = [];
  device.epoch = served.epoch;
  device.seq = served.head + 1;
  const client = server.extended({ device });
  await until(() => client.isLive && countIn(served.doc) === 2);
  expect(namesIn(served.doc)).toEqual(["acknowledged once", "still there"]);
});

test("[S16] a state in parts leads to its sequence number with the last part only", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  for (let index = 0; index < 5; index++) {
    await served.write((doc) => addNode(doc, "x".repeat(100_000)));
  }
  const client = server.extended();
  await until(() => client.isLive);
  const seqs = client.received.flatMap((message) =>
    message.kind === "sequenced" ? [message.seq] : [],
  );
  expect(seqs.length).toBeGreaterThan(3);
  expect([seqs.slice(0, -1).every((seq) => seq === 0), seqs.at(-1)]).toEqual([true, served.head]);
});

test("[S17] an update is acknowledged when it is durable, and not before", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const client = server.extended();
  await until(() => client.isLive);
  addNode(client.device.doc, "zero");
  await until(() => client.unsaved === 0);
  const before = client.received.length;
  server.store.hold();
  addNode(client.device.doc, "one");
  addNode(client.device.doc, "two");
  await until(() => countIn(served.doc) === 3);
  expect([client.unsaved, client.received.length]).toEqual([2, before]);

  server.store.release();
  await until(() => client.unsaved === 0);
  expect(client.received.at(-1)).toMatchObject({ kind: "acknowledged", seq: served.head });
  expect(client.device.seq).toBe(served.head);
});

test("[S17] who is told that a large update is durable stands behind all of it", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const client = server.extended();
  await until(() => client.isLive);
  client.device.doc.transact(() => {
    for (let index = 0; index < 2000; index++) addNode(client.device.doc, "x".repeat(100));
  });
  await until(() => client.unsaved === 0);
  expect(served.head).toBeGreaterThan(5);
  expect(client.device.seq).toBe(served.head);
});

test("[S17] of two updates on their way only the durable one is acknowledged", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const client = server.extended();
  await until(() => client.isLive);
  addNode(client.device.doc, "zero");
  await until(() => client.unsaved === 0);
  server.store.hold();
  addNode(client.device.doc, "one");
  await until(() => countIn(served.doc) === 2);
  addNode(client.device.doc, "two");
  await until(() => countIn(served.doc) === 3);
  server.store.step();
  await until(() => client.unsaved < 2);
  expect([client.unsaved, client.device.seq]).toEqual([1, served.head]);
  server.store.step();
  await until(() => client.unsaved === 0);
});

test("[S17] what was acknowledged need not be sent again, what was not is", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const device = new Device();
  const first = server.extended({ device });
  await until(() => first.isLive);
  addNode(device.doc, "saved");
  await until(() => first.unsaved === 0);
  server.store.hold();
  addNode(device.doc, "on its way");
  await until(() => countIn(served.doc) === 2);
  first.kill();
  addNode(device.doc, "offline");
  expect(device.outbox).toHaveLength(2);
  server.store.release();
  await until(() => server.sync.sessions() === 0);

  const second = server.extended({ device });
  await until(() => second.isLive && second.unsaved === 0);
  expect(namesIn(served.doc)).toEqual(["offline", "on its way", "saved"]);
  expect(second.refused).toEqual([]);
});

test("[S19] hello comes first, and once", async () => {
  const server = await startSocketServer();
  const headers = { "sec-websocket-protocol": `outline.v1, ${server.key}` };
  const hello = encodeMessage({
    kind: "hello",
    version: PROTOCOL_VERSION,
    instance: new Uint8Array(16),
    epoch: "",
    seq: 0,
  });
  const early = await server.peer({ headers });
  early.frame(encodeMessage({ kind: "step1", stateVector: new Uint8Array([0]) }));
  await until(() => early.closeCode !== undefined);
  const twice = await server.peer({ headers });
  twice.frame(hello);
  await until(() => twice.messages.length > 2);
  twice.frame(hello);
  await until(() => twice.closeCode !== undefined);
  expect([early.closeCode, twice.closeCode]).toEqual([4400, 4400]);
});

test("[S19] a client of a later version is answered in the version of the server", async () => {
  const server = await startSocketServer();
  const peer = await server.peer({
    headers: { "sec-websocket-protocol": `outline.v1, ${server.key}` },
  });
  const instance = new Uint8Array(16);
  peer.frame(encodeMessage({ kind: "hello", version: 9, instance, epoch: "", seq: 0 }));
  await until(() => peer.messages.length > 0);
  expect(peer.messages[0]?.subarray(0, 2).toString("hex")).toBe("6503");
});

test("[S13, S16] stock and extended clients of one outline converge", async () => {
  const server = await startSocketServer();
  const stock = server.stock();
  const extended = server.extended();
  await until(() => stock.provider.synced && extended.isLive);
  addNode(stock.doc, "stock");
  addNode(extended.device.doc, "extended");
  await until(() => countIn(stock.doc) === 2 && countIn(extended.device.doc) === 2);
  stock.provider.awareness.setLocalState({ name: "stock" });
  extended.announce({ client: extended.device.doc.clientID, clock: 1, state: { name: "x" } });
  await until(() => extended.presences.has(stock.doc.clientID));
  await until(() => stock.provider.awareness.getStates().size === 2);
});

test("[S80] who asks is told the server's time at once; a client of the version before asks for nothing", async () => {
  const server = await startSocketServer();
  const client = server.extended({ device: new Device() });
  await until(() => client.isLive);
  const answers = (): readonly number[] =>
    client.received.flatMap((message) => (message.kind === "time_answer" ? [message.now] : []));
  expect(answers()).toEqual([]);
  client.send({ kind: "time_question" });
  await until(() => answers().length > 0);
  expect(answers()).toEqual([server.clock.now()]);

  const older = server.extended({ device: new Device(), version: 1 });
  await until(() => older.isLive);
  expect(older.received.find(({ kind }) => kind === "welcome")).toMatchObject({ version: 1 });
  expect(kindsOf(older)).not.toContain("time_answer");
});
