import { expect, test } from "vitest";
import * as Y from "yjs";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import { addNode, countIn, namesIn } from "../support/socket-outline.ts";
import { startSocketServer } from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";
import { Device } from "../support/sync-client.ts";

const NODES = 3_000;

/** Nodes that were made offline, all in one update. */
function madeOffline(device: Device): void {
  device.doc.transact(() => {
    for (let index = 0; index < NODES; index++) addNode(device.doc, `offline ${index}`);
  });
}

test("[S23] what is much goes out over several turns, in order, and what is written later behind it", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const reader = server.extended();
  await until(() => reader.isLive);
  const author = new Device();
  madeOffline(author);
  const writer = server.extended({ device: author });
  await until(() => reader.received.some(({ kind }) => kind === "sequenced"));
  const late = server.extended();
  await served.write((doc) => addNode(doc, "from the API"));
  await until(() => [reader, writer, late].every(({ device }) => countIn(device.doc) > NODES));
  await until(() => writer.unsaved === 0);
  await until(() => [reader, late].every(({ device }) => device.seq === served.head));

  for (const { device } of [reader, writer, late]) {
    expect(namesIn(device.doc)).toEqual(namesIn(served.doc));
  }
  const numbers = reader.received.flatMap((message) =>
    message.kind === "sequenced" && message.seq > 0 ? [message.seq] : [],
  );
  expect(numbers.length).toBeGreaterThan(3);
  expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
  expect(numbers.at(-1)).toBe(served.head);
});

test("[S20] what is refused behind a large update that is not durable yet acknowledges nothing", async () => {
  const server = await startSocketServer({ limits: { messageBytes: 1_000_000 } });
  const served = await server.served();
  const client = server.extended();
  await until(() => client.isLive);
  server.store.hold();
  const source = new Y.Doc();
  source.transact(() => {
    for (let index = 0; index < NODES; index++) addNode(source, `node ${index}`);
  });
  client.send({ kind: "update", update: Y.encodeStateAsUpdate(source) });
  client.sendBytes(encodeMessage({ kind: "update", update: new Uint8Array(1_100_000) }));
  await until(() => countIn(served.doc) === NODES);
  const acknowledged = (): readonly number[] =>
    client.received.flatMap((message) => (message.kind === "acknowledged" ? [message.count] : []));
  expect(acknowledged()).toEqual([]);
  server.store.release();
  await until(() => acknowledged().includes(2));
  expect(client.received.find(({ kind }) => kind === "refused")).toMatchObject({
    number: 2,
    code: "too_large",
  });
});
