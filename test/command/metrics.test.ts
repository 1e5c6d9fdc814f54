import { expect, test } from "vitest";
import { MemoryLedger } from "../../src/charges/memory-ledger.ts";
import { payingUser } from "../../src/charges/payer.ts";
import { readConfig } from "../../src/config.ts";
import { memoryLimitsOf } from "../../src/limits.ts";
import { Metrics } from "../../src/metrics.ts";

const MIB = 1024 * 1024;

test("[Q1] one option says how much is held in all, of which a payer may have a quarter", () => {
  const read = readConfig({ "buffer-bytes": String(64 * MIB) }, {});
  if (read.kind === "bad") throw new Error(read.sentences.join());
  expect(memoryLimitsOf(read.config)).toEqual({ bytesInAll: 64 * MIB, bytesPerPayer: 16 * MIB });
});

test("[Q1] the metrics show what is held and how much had to be given up", async () => {
  const memory = new MemoryLedger({ bytesInAll: 100, bytesPerPayer: 50 });
  const metrics = new Metrics();
  metrics.watch({
    sessions: () => 0,
    connections: () => 7,
    places: () => undefined,
    documents: () => ({ open: 0, bytes: 0 }),
    held: () => memory,
  });
  memory.open(payingUser("one"), () => undefined).set(40);
  memory.open(payingUser("one"), () => undefined).set(20);
  // Asked twice: what is counted elsewhere is not added up.
  await metrics.registry.metrics();
  expect(await metrics.registry.metrics()).toContain("\noutline_http_connections 7\n");
  const text = await metrics.registry.metrics();
  expect(text).toContain("\noutline_held_bytes 20\n");
  expect(text).toContain("\noutline_held_given_up_total 1\n");
});
