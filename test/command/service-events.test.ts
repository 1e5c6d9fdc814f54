import { pino } from "pino";
import { expect, test } from "vitest";
import { StoreError } from "../../src/documents/log/outline-log.ts";
import { Metrics } from "../../src/metrics.ts";
import { serviceEvents } from "../../src/service-events.ts";

test("[C15, P23] a store that fails is counted and logged, and logged when it works again", async () => {
  const metrics = new Metrics();
  const logged: unknown[] = [];
  const logger = pino({ base: null }, { write: (line) => void logged.push(JSON.parse(line)) });
  const { storeEvents, documentEvents } = serviceEvents(metrics, logger);
  storeEvents.onFailure?.(new StoreError("store_unavailable", "The disk is full."));
  storeEvents.onRecovery?.();
  storeEvents.onUncleanEnd?.();
  storeEvents.onLogLoss?.(2);
  documentEvents.onStoreFailing?.(new Error("no answer"));
  documentEvents.onStoreWorking?.();
  documentEvents.onDefect?.(new Error("x"));
  documentEvents.onPurge?.(12, 34);
  expect(logged).toMatchObject([
    {
      level: 50,
      msg: expect.stringMatching(/^the store fails/),
      err: { code: "store_unavailable" },
    },
    { level: 30, msg: "the store works again" },
    { level: 40, msg: expect.stringMatching(/was not closed.*outline repair/) },
    { level: 50, pieces: 2, msg: expect.stringMatching(/something is lost that was acknowledged/) },
    { level: 50, msg: expect.stringMatching(/^the store does not answer/) },
    { level: 30, msg: "the store answers again" },
    { level: 50, msg: "a defect in a document" },
    { level: 30, msg: "deleted nodes were removed for good", nodes: 34, ms: 12 },
  ]);
  expect(await metrics.registry.metrics()).toMatch(/^outline_log_failures_total 1$/m);
  expect(await metrics.registry.metrics()).toMatch(/^outline_document_purged_nodes_total 34$/m);
});
