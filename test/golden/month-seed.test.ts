import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { seedFor } from "../../src/core/month-seed.ts";
import { CALENDAR, INBOX, monthKey, yearKey } from "../../src/core/node-key.ts";

function fingerprint(update: Uint8Array | undefined): string {
  const bytes = update ?? new Uint8Array();
  return `${bytes.length} ${createHash("sha256").update(bytes).digest("hex")}`;
}

test("[K23] the bytes of seeds never change: replicas of all versions must make the same ones", () => {
  expect(seedFor(INBOX)).toEqual(seedFor(CALENDAR));
  expect({
    base: fingerprint(seedFor(INBOX)),
    year: fingerprint(seedFor(yearKey(2026))),
    month: fingerprint(seedFor(monthKey(2026, 11))),
    leap: fingerprint(seedFor(monthKey(2024, 2))),
  }).toMatchInlineSnapshot();
});
