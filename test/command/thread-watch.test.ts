import { pino } from "pino";
import { expect, test } from "vitest";
import { Deferred } from "../../src/documents/turns/deferred.ts";
import { payingUser } from "../../src/charges/payer.ts";
import { Metrics } from "../../src/metrics.ts";
import { serviceEvents } from "../../src/service-events.ts";
import { watchThread } from "../../src/thread-watch.ts";

/**
 * Keeps the processor for so long, however busy the machine is. Leaves hardly any garbage: what it takes
 * to collect that, by the clock, does not count as work.
 */
function spin(busyMs: number): void {
  const before = process.cpuUsage();
  for (let turns = 0; ; turns += 1) {
    if (turns % 1_000_000 !== 0) continue;
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1_000 >= busyMs) return;
  }
}

test("[Q41] work that keeps the thread is counted, logged without its text, and refused", async () => {
  const metrics = new Metrics();
  const logged: unknown[] = [];
  const logger = pino({ base: null }, { write: (line) => void logged.push(JSON.parse(line)) });
  const { threadEvents } = serviceEvents(metrics, logger);
  const told = new Deferred<void>();
  const { watchdog, close } = watchThread({
    ...threadEvents,
    onLongTurn(turn) {
      threadEvents.onLongTurn(turn);
      told.resolve(undefined);
    },
  });
  const anna = payingUser("anna");
  watchdog.run(
    anna,
    "update-node",
    () => 77,
    () => spin(2_000),
  );
  await told.promise;
  close();
  expect(logged).toMatchObject([
    { level: 50, payer: "user anna", kind: "update-node", size: 77, ms: expect.any(Number) },
  ]);
  expect(watchdog.refusedMs(anna, "update-node")).toBeGreaterThan(0);
  const text = await metrics.registry.metrics();
  expect(text).toContain('\noutline_long_turns_total{kind="update-node"} 1\n');
  expect(text).toMatch(/^outline_longest_turn_seconds [1-9]/m);
});

test("[Q41] a pause of the machine is counted apart", async () => {
  const metrics = new Metrics();
  const logged: unknown[] = [];
  const logger = pino({ base: null }, { write: (line) => void logged.push(JSON.parse(line)) });
  serviceEvents(metrics, logger).threadEvents.onPause(2_500);
  expect(logged).toMatchObject([{ level: 40, ms: 2_500 }]);
  const text = await metrics.registry.metrics();
  expect(text).toContain('\noutline_long_turns_total{kind="pause"} 1\n');
  expect(text).toContain("\noutline_longest_turn_seconds 0\n");
});
