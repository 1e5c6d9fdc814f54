import { expect, test } from "vitest";
import { addNode, namesIn } from "../support/socket-outline.ts";
import { startSocketServer } from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";

/** So many that to tell them all is followed by a rest of a millisecond, on a clock that stands. */
const MEMBERS = 8;

const LONG = "x".repeat(10_000);

test("[S81] what comes while many have just been told is taken when that is over", async () => {
  const server = await startSocketServer();
  const served = await server.served();
  const clients = Array.from({ length: MEMBERS }, () => server.extended());
  const [one, other] = clients;
  if (one === undefined || other === undefined) throw new Error("there are more");
  await until(() => clients.every(({ isLive }) => isLive));
  const isUpToDate = (): boolean => clients.every(({ device }) => device.seq === served.head);

  addNode(one.device.doc, "told at once");
  await until(() => one.unsaved === 0 && isUpToDate());
  const head = served.head;
  const held = server.memory.bytes;
  addNode(one.device.doc, `${LONG} 1`);
  addNode(other.device.doc, `${LONG} 2`);
  addNode(one.device.doc, `${LONG} 3`);
  await until(() => server.memory.bytes >= held + 3 * LONG.length);
  expect([served.head, namesIn(served.doc)]).toEqual([head, ["told at once"]]);

  await until(() => {
    server.clock.advance(1);
    return one.unsaved + other.unsaved === 0 && isUpToDate();
  });
  for (const { device } of clients) expect(namesIn(device.doc)).toEqual(namesIn(served.doc));
  expect(namesIn(served.doc)).toHaveLength(4);
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
