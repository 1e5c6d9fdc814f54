import { expect, test } from "vitest";
import {
  dayKey,
  INBOX,
  keyInId,
  newNodeKey,
  newOutlineId,
  nodeIdOf,
  type NodeKey,
} from "../../src/core/node-key.ts";
import { seededRandom } from "../support/seeded-random.ts";

const random = seededRandom(44);
const OUTLINE = newOutlineId(random);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Random ones, and those of neighbouring days, which differ in a digit or two. */
function someKeys(): ReadonlySet<NodeKey> {
  const keys = new Set<NodeKey>([INBOX]);
  for (let year = 1000; year < 2000; year++) {
    for (let day = 1; day <= 28; day++) keys.add(dayKey(year, 2, day));
  }
  while (keys.size < 100_000) keys.add(newNodeKey(random));
  return keys;
}

test("[N3, N44] each node's id is a UUID of version 8 with first 12 digits of its own", () => {
  const keys = someKeys();
  const first = new Set<string>();
  const shown = new Set<string>();
  const wrong: string[] = [];
  for (const key of keys) {
    const id = nodeIdOf(OUTLINE, key);
    if (!UUID.test(id) || keyInId(id.replaceAll("-", ""), OUTLINE) !== key) wrong.push(id);
    first.add(id.slice(0, 13));
    shown.add(id.slice(0, 8));
  }
  expect(wrong).toEqual([]);
  expect(first.size).toBe(keys.size);
  // Of so many random numbers of 32 bits one pair is alike, with luck a few more.
  expect(shown.size).toBeGreaterThan(keys.size - 20);
});

test("[N3] ids stay what they are in later versions", () => {
  const outline = "0123456789ab8cde9f01" as typeof OUTLINE;
  const ids = ["000000000001", "000020261123", "fedcba987654"].map((key) =>
    nodeIdOf(outline, key as NodeKey),
  );
  expect(ids).toMatchInlineSnapshot(`
    [
      "5217f821-1dea-8cde-9f01-000000000001",
      "913ed4b3-6e31-8cde-9f01-000020261123",
      "03a3acc1-ca3a-8cde-9f01-fedcba987654",
    ]
  `);
});
