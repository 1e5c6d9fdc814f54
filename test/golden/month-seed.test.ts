import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { seedFor } from "../../src/core/calendar/month-seed.ts";
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
  }).toMatchInlineSnapshot(`
    {
      "base": "86 b377ea95807a5c4d3f12e4a7b61a78c39920b388e70820e82841ebcf6ca7c960",
      "leap": "2453 eefc47e712ecc81338fa447b5495b56890a59a7d03b5fa708a2e88f7f47c0e9e",
      "month": "2537 6ba02b4f4e5a426a1bb12900ca11540ef3d823de36be750bde4bbee4d6bf8111",
      "year": "42 3150ebede72230abb5b3879b4a342ce9e6fbf8924be8e2ab516faf225622c78c",
    }
  `);
});
