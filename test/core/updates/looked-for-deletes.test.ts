import { expect, test } from "vitest";
import * as Y from "yjs";
import { LookedForDeletes } from "../../../src/core/updates/looked-for-deletes.ts";
import { encodeRanges, encodeUpdate } from "../../../src/core/yjs/struct-encoding.ts";
import { integerBelow, seededRandom } from "../../support/seeded-random.ts";

type Deleted = ReadonlyMap<number, readonly number[]>;

/** An update that deletes ranges: clock and length, one behind the other. */
function deleting(ranges: Deleted): Uint8Array {
  return encodeUpdate(
    [],
    [...ranges].map(([client, own]) => encodeRanges(client, own)),
  );
}

/** Some ranges of three clients, apart and in order. */
function someRanges(random: () => number, most: number): Deleted {
  return new Map(
    [1, 2, 3].map((client) => {
      const ranges: number[] = [];
      let clock = integerBelow(random, 8);
      for (let left = 1 + integerBelow(random, most); left > 0; left--) {
        const length = 1 + integerBelow(random, 10);
        ranges.push(clock, length);
        clock += length + 1 + integerBelow(random, 10);
      }
      return [client, ranges];
    }),
  );
}

function* clocksOf(ranges: Deleted): Generator<string> {
  for (const [client, own] of ranges) {
    for (let at = 0; at < own.length; at += 2) {
      for (let more = 0; more < (own[at + 1] ?? 0); more++)
        yield `${client} ${(own[at] ?? 0) + more}`;
    }
  }
}

test.each([1, 2, 3, 4])(
  "[P131] deletions are found when every clock of theirs was, and not before (seed %i)",
  (seed) => {
    const random = seededRandom(seed);
    let found = 0;
    for (let round = 0; round < 200; round++) {
      const sent = someRanges(random, 4);
      const wanted = LookedForDeletes.of(deleting(sent));
      const left = new Set(clocksOf(sent));
      for (let others = 0; others < 12 && left.size > 0; others++) {
        expect(wanted?.areFound).toBe(false);
        const other = someRanges(random, 6);
        wanted?.find(deleting(other));
        for (const clock of clocksOf(other)) left.delete(clock);
      }
      expect(wanted?.areFound).toBe(left.size === 0);
      if (left.size === 0) found++;
    }
    expect([found > 20, found < 180]).toEqual([true, true]);
  },
);

test("[P131] what does more than delete, is cut off or out of order is not looked for", () => {
  const doc = new Y.Doc();
  doc.getText("text").insert(0, "abc");
  const cutOff = deleting(new Map([[1, [0, 5]]])).subarray(0, 4);
  for (const update of [
    Y.encodeStateAsUpdate(doc),
    cutOff,
    deleting(new Map([[1, [5, 1, 0, 1]]])),
    new Uint8Array(),
  ]) {
    expect(LookedForDeletes.of(update)).toBe(undefined);
  }
  expect(LookedForDeletes.of(new Uint8Array([0, 0]))?.areFound).toBe(true);
});

test("[P131] who makes it cut one range thousands of times is not found, and costs no more", () => {
  const wanted = LookedForDeletes.of(deleting(new Map([[1, [0, 20_000]]])));
  for (let clock = 1; clock < 20_000; clock += 2) {
    wanted?.find(deleting(new Map([[1, [clock, 1]]])));
  }
  expect(wanted?.isGivenUp).toBe(true);
  wanted?.find(deleting(new Map([[1, [0, 20_000]]])));
  expect(wanted?.areFound).toBe(false);
});
