import { expect, test } from "vitest";
import { StoreError } from "../../src/documents/outline-log.ts";
import { Metrics } from "../../src/metrics.ts";
import { serviceEvents } from "../../src/service-events.ts";
import { SILENT_LOGGER } from "../support/silent-logger.ts";

test("[C15] a store that fails is counted and logged, and logged when it works again", async () => {
  const metrics = new Metrics();
  const logged: string[] = [];
  const logger = {
    ...SILENT_LOGGER,
    error: (_fields: unknown, message?: string) => void logged.push(`error ${message}`),
    info: (message: unknown) => void logged.push(`info ${String(message)}`),
  };
  const { storeEvents, documentEvents } = serviceEvents(metrics, logger);
  storeEvents.onFailure?.(new StoreError("store_unavailable", "The disk is full."));
  storeEvents.onRecovery?.();
  documentEvents.onDefect?.(new Error("x"));
  expect(logged).toEqual([
    "error the store fails: nothing is acknowledged until it works again",
    "info the store works again",
    "error a defect in a document",
  ]);
  expect(await metrics.registry.metrics()).toMatch(/^outline_log_failures_total 1$/m);
});
