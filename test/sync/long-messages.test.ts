import { expect, test } from "vitest";
import { addNode, namesIn } from "../support/socket-outline.ts";
import { startSocketServer } from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";
import { slowWatchdog } from "../support/slow-watchdog.ts";

test("[Q41] who sends what keeps the thread is to come again later, and loses nothing", async () => {
  const { watchdog, workLasts, pass, seen } = slowWatchdog();
  const server = await startSocketServer({ watchdog });
  const client = server.stock();
  await until(() => client.provider.synced);
  workLasts(1_500);
  addNode(client.doc, "slow");
  await until(() => seen.some(({ kind }) => kind === "message"));
  workLasts(0);
  expect(seen.find(({ kind }) => kind === "message")?.size).toBeGreaterThan(0);
  addNode(client.doc, "after");
  await until(() => client.closed?.code === 1013);
  client.closed = undefined;
  // It comes again by itself, is refused again while the minute lasts, and is taken then.
  pass(60_000);
  const served = await server.served();
  await until(() => namesIn(served.doc).includes("after"));
  expect(namesIn(served.doc)).toContain("slow");
});
