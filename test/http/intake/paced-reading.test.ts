import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as yieldNow } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { PacedReading } from "../../../src/http/intake/paced-reading.ts";
import { RawConnection } from "../../support/raw-http.ts";
import { startService, type TestService } from "../../support/service.ts";

/** On a machine that is busy with other things. */
const PATIENT = { timeout: 60_000 };
const CONNECTIONS = 20;
const REQUESTS = 100;

async function connectionTo({ url }: TestService): Promise<RawConnection> {
  const connection = await RawConnection.open(url);
  onTestFinished(() => connection.close());
  return connection;
}

/** From how many connections requests are taken in, in the turn in which that is most. */
function watchTurns({ app }: TestService): () => number {
  const sockets = new Set<Socket>();
  let most = 0;
  let isOver = false;
  app.server.on("request", ({ socket }: IncomingMessage) => {
    sockets.add(socket);
    most = Math.max(most, sockets.size);
  });
  const next = (): void => {
    sockets.clear();
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  onTestFinished(() => void (isOver = true));
  return () => most;
}

test("[Q15] of a network that sends many requests at once one connection is read in a turn", async () => {
  const service = await startService({});
  onTestFinished(() => service.close());
  const connections: RawConnection[] = [];
  for (let left = CONNECTIONS; left > 0; left--) connections.push(await connectionTo(service));
  const most = watchTurns(service);
  const many = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n".repeat(REQUESTS);
  for (const connection of connections) connection.write(many);
  for (const connection of connections) {
    for (let left = REQUESTS; left > 0; left--) {
      expect((await connection.answer()).status).toBe(200);
    }
  }
  expect(most()).toBe(1);
});

test("[Q15] between two connections that are read, others have as much time as one of them took", async () => {
  let now = 0;
  const reading = new PacedReading({
    elapsed: () => now,
    yieldNow: async () => {
      now += 1;
      await yieldNow();
    },
  });
  const readAt: number[] = [];
  for (let left = 3; left > 0; left--) {
    reading.readOn("a network", () => {
      readAt.push(now);
      now += 10;
    });
  }
  await expect.poll(() => readAt.length, PATIENT).toBe(3);
  const [first = 0, second = 0, third = 0] = readAt;
  expect(second - first).toBeGreaterThanOrEqual(20);
  expect(third - second).toBeGreaterThanOrEqual(20);
});

test("[Q15] who sends nothing meanwhile is read again afterwards, and so is who comes", async () => {
  const service = await startService({});
  onTestFinished(() => service.close());
  const [busy, quiet] = [await connectionTo(service), await connectionTo(service)];
  busy.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n".repeat(REQUESTS));
  for (let left = REQUESTS; left > 0; left--) expect((await busy.answer()).status).toBe(200);
  const late = await connectionTo(service);
  for (const connection of [quiet, late, busy]) {
    connection.request("GET /healthz", {});
    expect((await connection.answer()).status).toBe(200);
  }
  await expect.poll(() => service.memory.bytes, PATIENT).toBe(0);
});
