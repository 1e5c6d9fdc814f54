import { afterEach, beforeEach, expect, test } from "vitest";
import * as Y from "yjs";
import { seedFor } from "../../src/core/calendar/month-seed.ts";
import { monthKey, yearKey } from "../../src/core/node-key.ts";
import { MAX_SEEDS_OF_OUTLINE } from "../../src/core/room/seed-limit.ts";
import { inspectUpdate } from "../support/inspect-update.ts";
import { encodePlan } from "../../src/core/updates/update-plan.ts";
import { startService, type TestService } from "../support/service.ts";

/** Of those that have seeds before a test begins. */
const FIRST_YEAR = 3_000;

let service: TestService;

beforeEach(async () => {
  service = await startService();
});

afterEach(() => service.close());

function seedsOfYear(year: number): readonly Uint8Array[] {
  const months = Array.from({ length: 12 }, (_, index) => monthKey(year, index + 1));
  return [yearKey(year), ...months].flatMap((key) => seedFor(key) ?? []);
}

/** As many seeds as an outline may have but for some: a year with its months, and years without. */
function manySeeds(fewer: number): Uint8Array {
  const months = seedsOfYear(FIRST_YEAR);
  const years = Array.from(
    { length: MAX_SEEDS_OF_OUTLINE - fewer - months.length },
    (_, index) => seedFor(yearKey(FIRST_YEAR + 1 + index)) ?? new Uint8Array([0, 0]),
  );
  return Y.mergeUpdates([...months, ...years]);
}

async function post(path: string, body: unknown): Promise<string> {
  const { status, body: answer } = await service.request("POST", `/api/v1${path}`, body);
  const { code } = answer as { readonly code?: string };
  return code === undefined ? String(status) : `${status} ${code}`;
}

test("[Q43] an outline takes so many years and months; those that are there go on being used", async () => {
  const { documents } = service;
  const user = (await service.accounts.listUsers())[0];
  if (user === undefined) throw new Error("no user");
  // One for the inbox and the calendar, one for a year, one for a month.
  await documents.write(user.outline, ({ doc }) => Y.applyUpdate(doc, manySeeds(3)));
  expect(await post("/nodes", { name: "a", parent_id: "2026-11-20" })).toBe("200");
  expect(await post("/nodes", { name: "b", parent_id: "2026-11-21" })).toBe("200");
  const refused = [
    ["/nodes", { name: "c", parent_id: "2026-12-01" }],
    ["/nodes", { name: "c\n\n".repeat(6_000), parent_id: "2027" }],
  ] as const;
  for (const [path, body] of refused) {
    expect([path, await post(path, body)]).toEqual([path, "413 outline_full"]);
  }
  expect(await post("/nodes", { name: "d", parent_id: `${FIRST_YEAR}-02-03` })).toBe("200");
  expect(await post("/nodes", { name: "e", parent_id: "inbox" })).toBe("200");
});

test("[Q43] over the websocket too: what comes again passes, one more is refused", () => {
  const doc = new Y.Doc();
  Y.applyUpdate(doc, manySeeds(1));
  const [year, month] = seedsOfYear(2_026);
  if (year === undefined || month === undefined) throw new Error("no seeds");
  expect(inspectUpdate(doc, Y.mergeUpdates([year, month]))).toEqual({
    kind: "outline_full",
    quota: "seeds",
    has: MAX_SEEDS_OF_OUTLINE - 1,
    adds: 2,
    limit: MAX_SEEDS_OF_OUTLINE,
  });
  const one = inspectUpdate(doc, year);
  if (one.kind !== "ok") throw new Error(one.kind);
  Y.applyUpdate(doc, encodePlan(one.plan));
  expect(inspectUpdate(doc, year).kind).toBe("ok");
  expect(inspectUpdate(doc, month).kind).toBe("outline_full");
});
