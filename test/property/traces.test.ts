import { expect, test } from "vitest";
import { runs } from "../support/runs.ts";
import { readTrace } from "./trace-history.ts";
import { digestOf, replay } from "./trace-replay.ts";

test("[D54] twelve years of a public list: every merge is what people made of it", () => {
  const { commits, merges, equal, differing, lastLines } = replay(readTrace("awesome"));
  expect({ commits, merges, equal, differing }).toEqual({
    commits: 992,
    merges: 33,
    equal: 33,
    differing: [],
  });
  expect([lastLines.length, digestOf(lastLines).slice(0, 16)]).toEqual([743, "5776061a88d015b6"]);
});

test("[D54] a larger list: as many merges as knowledge of both sides can give", () => {
  // All of it takes a while: `npm run soak -- histories` does it (459 of 481; a merge of lines gives
  // 453, a rule that knows both sides 460).
  const length = runs(300, 1_000);
  const { commits, merges, equal } = replay(readTrace("awesome-go").slice(0, length));
  expect({ commits, merges, equal }).toEqual({
    commits: length,
    merges: runs(65, 246),
    equal: runs(57, 236),
  });
});
