import { expect, test } from "vitest";
import { sentenceOfFull } from "../../../src/core/room/outline-full.ts";
import { problemOfRefusal } from "../../../src/http/problem-of-refusal.ts";
import { PROBLEM_STATUS } from "../../../src/http/problem.ts";
import { refusalOfFull } from "../../../src/sync/refusal.ts";

const FULL = {
  kind: "outline_full",
  quota: "nodes",
  has: 999_999,
  adds: 3,
  limit: 1_000_000,
} as const;

test("[Q60] a full outline is refused with one code, and a sentence with what it has, may have and would get", () => {
  const numbers = ["999,999", "1,000,000", "3"];
  for (const sentence of [
    sentenceOfFull(FULL),
    problemOfRefusal(FULL).message,
    refusalOfFull(FULL).reason,
  ]) {
    expect(numbers.filter((number) => !sentence.includes(number))).toEqual([]);
  }
  const { code } = problemOfRefusal(FULL);
  expect([code, PROBLEM_STATUS[code]]).toEqual(["outline_full", 413]);
  expect(refusalOfFull(FULL)).toMatchObject({ code: "outline_full", closeCode: 4413 });
  expect(sentenceOfFull({ ...FULL, quota: "bytes", has: 2 ** 20 * 1.5 })).toContain("1.5 MiB");
});
