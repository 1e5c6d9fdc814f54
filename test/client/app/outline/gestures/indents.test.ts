import { expect, test } from "vitest";
import { depthAt, indentOf } from "../../../../../client/app/outline/gestures/indents.ts";

const MEASURES = { start: 30, step: 28, wholeSteps: 12, smallStep: 5, most: 400 };

test("[W214] a place at a bullet means its level, as long as bullets stand apart", () => {
  const levels = Array.from({ length: 24 }, (_, depth) => depth);
  expect(levels.map((depth) => depthAt(indentOf(depth, MEASURES), MEASURES))).toEqual(levels);
  expect([0, 1, 12, 13].map((depth) => indentOf(depth, MEASURES))).toEqual([30, 58, 366, 371]);
  expect(indentOf(1000, MEASURES)).toBe(430);
  expect([depthAt(-50, MEASURES), depthAt(370, MEASURES)]).toEqual([0, 13]);
});
