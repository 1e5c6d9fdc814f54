import { expect, test } from "vitest";
import { DEFAULT_DOCUMENT_LIMITS } from "../../src/documents/document-limits.ts";
import { noMemory } from "../../src/documents/memory/memory-budget.ts";
import { failureOf } from "../../src/sync/failure.ts";
import { addNode, namesIn } from "../support/socket-outline.ts";
import { startSocketServer, type SocketServerOptions } from "../support/socket-server.ts";
import { until } from "../support/socket-until.ts";

const MAX_BYTES = 64 * 1024;
const LONG = "a".repeat(MAX_BYTES);

function start(options: SocketServerOptions = {}) {
  const outline = { ...DEFAULT_DOCUMENT_LIMITS.outline, maxBytes: MAX_BYTES };
  return startSocketServer({ ...options, documentLimits: { outline } });
}

test("[Q60] an extended client is told outline_full, keeps its connection, and is not cut off for good", async () => {
  const server = await start({ limits: { refusals: 1 } });
  const served = await server.served();
  const client = server.extended();
  await until(() => client.isLive);
  addNode(client.device.doc, LONG);
  await until(() => client.refused.length === 1);
  expect(client.refused[0]).toMatchObject({ code: "outline_full" });
  expect([client.closed, namesIn(served.doc)]).toEqual([undefined, []]);

  const other = server.extended();
  await until(() => other.isLive);
  addNode(other.device.doc, "short");
  await until(() => other.unsaved === 0);
  expect(namesIn(served.doc)).toEqual(["short"]);

  for (let count = 0; count < 3; count++) addNode(client.device.doc, LONG);
  await until(() => client.closed !== undefined);
  expect(client.closed).toMatchObject({ code: 1013 });
});

test("[Q60] a stock client is closed with 4413 and the reason, and nothing of its update stays", async () => {
  const server = await start();
  const served = await server.served();
  const client = server.stock();
  await until(() => client.provider.synced);
  addNode(client.doc, LONG);
  await until(() => client.closed !== undefined);
  expect(client.closed?.code).toBe(4413);
  expect([namesIn(served.doc), server.seen.refusals]).toEqual([[], ["outline_full"]]);
});

test("[Q64] a client whose outline has no memory is told so, not that the store fails", () => {
  expect(failureOf(noMemory())).toMatchObject({
    closeCode: 1013,
    reason: "there is no memory for the outline now",
  });
});
