import { expect, test } from "vitest";
import * as Y from "yjs";
import { decodeServerMessage } from "../../src/protocol/decode-message.ts";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import { addNode, countIn, namesIn } from "../support/socket-outline.ts";
import { startSocketServer } from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";

/** A document and the updates that made it, one for each node. */
function history(names: readonly string[]): { doc: Y.Doc; updates: readonly Uint8Array[] } {
  const doc = new Y.Doc();
  const updates: Uint8Array[] = [];
  doc.on("update", (update: Uint8Array) => updates.push(update));
  for (const name of names) addNode(doc, name);
  return { doc, updates };
}

test("[S20] a refused update closes a stock client with the reason, and reaches nobody", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const bystander = server.stock();
  await until(() => bystander.provider.synced);
  let heard = 0;
  bystander.doc.on("update", () => heard++);
  const peer = await server.peer();
  peer.frame(encodeMessage({ kind: "update", update: new Uint8Array([1, 1, 5, 0, 31, 0]) }));
  await until(() => peer.closeCode !== undefined);

  expect(peer.closeCode).toBe(4400);
  expect(peer.messages.map((bytes) => decodeServerMessage(bytes).kind)).toEqual([
    "permission_denied",
  ]);
  expect(server.seen.refusals).toEqual(["malformed"]);
  await served.write((doc) => addNode(doc, "end"));
  await until(() => heard > 0);
  expect([heard, namesIn(served.doc)]).toEqual([1, ["end"]]);
});

test("[S18, Q72, S20] an extended client is told which update was refused, and goes on", async () => {
  const server = await startSocketServer({ limits: { refusals: 3 } });
  const served = await server.served();
  const client = server.extended();
  await until(() => client.isLive);
  addNode(client.device.doc, "before");
  await until(() => client.unsaved === 0);
  const broken = encodeMessage({ kind: "update", update: new Uint8Array([1, 1, 5, 0, 31, 0]) });
  client.sendBytes(broken);
  await until(() => client.refused.length === 1);
  expect(client.refused[0]).toMatchObject({ kind: "refused", code: "malformed" });
  expect(namesIn(served.doc)).toEqual(["before"]);

  for (let count = 0; count < 3; count++) client.sendBytes(broken);
  await until(() => client.closed !== undefined);
  expect(client.closed).toMatchObject({ code: 4400 });
  expect(client.refused.map(({ number }, index) => number - index)).toEqual(
    Array.from({ length: 4 }, () => client.refused[0]?.number),
  );
});

test("[S21, Q73] an update without its predecessor makes the server ask, and is not acknowledged", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const { doc, updates } = history(["first", "second"]);
  const peer = await server.peer();
  peer.frame(encodeMessage({ kind: "update", update: updates[1] ?? new Uint8Array() }));
  await until(() => peer.messages.length === 1);
  const asked = peer.messages[0] && decodeServerMessage(peer.messages[0]);
  expect(asked).toEqual({ kind: "step1", stateVector: Y.encodeStateVector(served.doc) });
  expect(namesIn(served.doc)).toEqual([]);

  const update = Y.encodeStateAsUpdate(doc, Y.encodeStateVector(served.doc));
  peer.frame(encodeMessage({ kind: "step2", update }));
  await until(() => countIn(served.doc) === 2);
});

test("[S21, Q72, Q73] updates that lack a predecessor use up none of the refusals, and a thousand close", async () => {
  const server = await startSocketServer();
  const { updates } = history(["first", "second"]);
  const client = server.extended();
  await until(() => client.isLive);
  const lacking = { kind: "update", update: updates[1] ?? new Uint8Array() } as const;
  for (let count = 0; count < 50; count++) client.send(lacking);
  client.send({ kind: "update", update: new Uint8Array([1, 1, 5, 0, 31, 0]) });
  await until(() => client.refused.length === 51 || client.closed !== undefined);
  const codes = client.refused.map(({ code }) => code);
  expect([codes.filter((code) => code === "malformed").length, client.closed]).toEqual([
    1,
    undefined,
  ]);
  // What the client answers to the step 1 ends a row; all of these are there before it.
  for (let count = 0; count < 1_000; count++) client.send(lacking);
  await until(() => client.refused.length === 1_051 || client.closed !== undefined);
  expect(client.closed).toBeUndefined();
  // The answer to the last step 1 may come in between.
  for (let count = 0; count < 2_002; count++) client.send(lacking);
  await until(() => client.closed !== undefined);
  expect(client.closed?.code).toBe(4400);
});

test("[S21] a client that never sends what is missing is closed", async () => {
  const server = await startSocketServer({ limits: { missing: 3 } });
  const { updates } = history(["first", "second"]);
  const stock = await server.peer();
  const extended = server.extended();
  await until(() => extended.isLive);
  const update = updates[1] ?? new Uint8Array();
  for (let count = 0; count < 4; count++) {
    stock.frame(encodeMessage({ kind: "update", update }));
    extended.send({ kind: "update", update });
  }
  await until(() => stock.closeCode !== undefined && extended.closed !== undefined);
  expect([stock.closeCode, extended.closed?.code]).toEqual([4400, 4400]);
  expect(extended.refused.map(({ code }) => code)).toEqual([
    "missing",
    "missing",
    "missing",
    "missing",
  ]);
});

test("[S22] a key that may only read is sent everything, and is refused what it writes", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  await served.write((doc) => addNode(doc, "to read"));
  const { key } = await server.newKey({ scope: "read" });
  const stock = server.stock({ protocols: ["yjs", key] });
  const extended = server.extended({ key });
  await until(() => stock.provider.synced && extended.isLive);
  await served.write((doc) => addNode(doc, "later"));
  await until(() => countIn(stock.doc) === 2 && countIn(extended.device.doc) === 2);
  expect(extended.received[0]).toMatchObject({ kind: "welcome", access: "read" });

  addNode(extended.device.doc, "mine");
  await until(() => extended.refused.length === 1);
  expect(extended.refused[0]).toMatchObject({ number: 1, code: "read_only" });
  expect(extended.closed).toBeUndefined();
  addNode(stock.doc, "mine too");
  await until(() => stock.closed !== undefined);
  expect(stock.closed).toMatchObject({ code: 4403 });
  expect(stock.provider.shouldConnect).toBe(false);
  expect(namesIn(served.doc)).toEqual(["later", "to read"]);
});

test("[S27] a message over the limit is refused as an update when it is one", async () => {
  const server = await startSocketServer({ limits: { messageBytes: 10_000 } });
  const served = await server.served();
  const extended = server.extended();
  await until(() => extended.isLive);
  expect(extended.received[0]).toBeDefined();
  addNode(extended.device.doc, "x".repeat(11_000));
  await until(() => extended.refused.length === 1);
  expect(extended.refused[0]).toMatchObject({ code: "too_large" });
  addNode(extended.device.doc, "small");
  await until(() => extended.refused.length >= 2);
  const stock = server.stock();
  await until(() => stock.provider.synced);
  addNode(stock.doc, "x".repeat(11_000));
  await until(() => stock.closed !== undefined);
  expect(stock.closed).toMatchObject({ code: 4413 });
  expect(namesIn(served.doc)).toEqual([]);
});
