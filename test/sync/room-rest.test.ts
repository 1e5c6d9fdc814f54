import { expect, test } from "vitest";
import { addNode, namesIn } from "../support/socket-outline.ts";
import { startSocketServer } from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";

/** So many that to tell them all is followed by a rest of two milliseconds, on a clock that stands. */
const MEMBERS = 8;

test("[S81] what becomes durable while many have just been told is told together later", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const clients = Array.from({ length: MEMBERS }, () => server.extended());
  const [one, other] = clients;
  if (one === undefined || other === undefined) throw new Error("there are more");
  await until(() => clients.every(({ isLive }) => isLive));
  const updatesOf = (): readonly number[] =>
    clients.map(({ received }) => received.filter(({ kind }) => kind === "sequenced").length);
  const isUpToDate = (): boolean => clients.every(({ device }) => device.seq === served.head);

  addNode(one.device.doc, "told at once");
  await until(() => one.unsaved === 0 && isUpToDate());
  const before = updatesOf();
  const head = served.head;
  addNode(one.device.doc, "1");
  await until(() => served.head === head + 1);
  addNode(other.device.doc, "2");
  await until(() => served.head === head + 2);
  // Who comes is brought up to date, so that all that was to be told by then has been.
  const isToldLater = async (): Promise<void> => {
    const late = server.extended();
    await until(() => late.isLive && namesIn(late.device.doc).length === 3);
    expect(updatesOf()).toEqual(before);
  };
  await isToldLater();
  server.clock.advance(1);
  await isToldLater();

  server.clock.advance(1);
  await until(() => one.unsaved + other.unsaved === 0 && isUpToDate());
  expect(updatesOf()).toEqual(before.map((count) => count + 1));
  for (const { device } of clients) expect(namesIn(device.doc)).toEqual(namesIn(served.doc));
});

test("[S81] what many write meanwhile is taken together right before the end of the rest", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  // Five milliseconds of rest.
  const clients = Array.from({ length: 16 }, () => server.extended());
  const [one, other] = clients;
  if (one === undefined || other === undefined) throw new Error("there are more");
  await until(() => clients.every(({ isLive }) => isLive));
  addNode(one.device.doc, "told at once");
  await until(() => clients.every(({ device }) => namesIn(device.doc).length === 1));
  const { head } = served;
  for (const name of ["1", "2"]) addNode(one.device.doc, name);
  addNode(other.device.doc, "3");
  // What is asked behind them is answered.
  const late = server.extended();
  await until(() => late.isLive);
  expect(served.head).toBe(head);

  server.clock.advance(1);
  await until(() => namesIn(served.doc).length === 4);
  await until(() => served.head > head);
  expect([one.unsaved, other.unsaved]).not.toEqual([0, 0]);
  server.clock.advance(4);
  await until(() => one.unsaved + other.unsaved === 0);
  await until(() => clients.every(({ device }) => namesIn(device.doc).length === 4));
});

test("[S81, S47] what was written right before its connections ended is taken all the same", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const clients = Array.from({ length: 16 }, () => server.extended());
  const [one] = clients;
  if (one === undefined) throw new Error("there are more");
  await until(() => clients.every(({ isLive }) => isLive));
  addNode(one.device.doc, "told at once");
  await until(() => clients.every(({ device }) => namesIn(device.doc).length === 1));
  addNode(one.device.doc, "last words");
  // What is asked behind them is answered.
  const late = server.extended();
  await until(() => late.isLive);
  for (const client of [...clients, late]) client.close();
  await until(() => server.sync.sessions() === 0);
  expect(namesIn(served.doc)).toHaveLength(1);
  server.clock.advance(1);
  await until(() => namesIn(served.doc).length === 2);
});

test("[S81] a few are told at once, however fast things come", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const clients = Array.from({ length: 3 }, () => server.extended());
  const [one] = clients;
  if (one === undefined) throw new Error("there are more");
  await until(() => clients.every(({ isLive }) => isLive));
  for (let count = 0; count < 5; count++) {
    addNode(one.device.doc, `${count}`);
    await until(() => clients.every(({ device }) => namesIn(device.doc).length === count + 1));
  }
  expect(namesIn(served.doc)).toHaveLength(5);
});
