import { pino } from "pino";
import { expect, test } from "vitest";
import type { OutlineId } from "../../src/core/node-key.ts";
import { StoreError } from "../../src/documents/outline-log.ts";
import { Metrics } from "../../src/metrics.ts";
import { serviceEvents } from "../../src/service-events.ts";

test("[C15] a store that fails is counted and logged, and logged when it works again", async () => {
  const metrics = new Metrics();
  const logged: unknown[] = [];
  const logger = pino({ base: null }, { write: (line) => void logged.push(JSON.parse(line)) });
  const { storeEvents, documentEvents } = serviceEvents(metrics, logger);
  storeEvents.onFailure?.(new StoreError("store_unavailable", "The disk is full."));
  storeEvents.onRecovery?.();
  const tornEnd = {
    file: "000005.log",
    bytes: 12,
    outlines: ["0123456789ab81238abc" as OutlineId],
  };
  storeEvents.onTornEnd?.(tornEnd);
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
    { level: 40, ...tornEnd, msg: expect.stringContaining("nobody was told") },
    { level: 50, msg: expect.stringMatching(/^the store does not answer/) },
    { level: 30, msg: "the store answers again" },
    { level: 50, msg: "a defect in a document" },
    { level: 30, msg: "deleted nodes were removed for good", nodes: 34, ms: 12 },
  ]);
  expect(await metrics.registry.metrics()).toMatch(/^outline_log_failures_total 1$/m);
  expect(await metrics.registry.metrics()).toMatch(/^outline_document_purged_nodes_total 34$/m);
});

test("[P24] a salvaged store is logged with what is not served and where the damaged one is", () => {
  const logged: unknown[] = [];
  const logger = pino({ base: null }, { write: (line) => void logged.push(JSON.parse(line)) });
  const { salvaging } = serviceEvents(new Metrics(), logger);
  const refused = ["0123456789ab81238abc" as OutlineId];
  const aside = "/data/store.damaged-2026-11-20";
  salvaging.onBegin("It is.");
  salvaging.onEnd({ damage: "It is.", aside, refused, mayLackAccounts: true });
  salvaging.onEnd({ damage: "It is.", aside, refused: [], mayLackAccounts: false });
  expect(logged).toMatchObject([
    { level: 50, damage: "It is." },
    {
      level: 50,
      refused,
      aside,
      msg: expect.stringMatching(/0123456789ab81238abc\. .*revoked keys may be valid again/),
    },
    { level: 50, refused: [], msg: expect.not.stringContaining("keys") },
  ]);
});
