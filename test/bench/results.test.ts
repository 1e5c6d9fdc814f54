import { describe, expect, it } from "vitest";
import { always, type BenchRow, upTo } from "./bench-group.ts";
import { BENCH_GROUPS, GROWTH_ROWS } from "./bench-groups.ts";
import { atLeast, atMost, isMet, isMetEasily, textOfGoal } from "./goal.ts";
import { measuredGrowth } from "./growth-row.ts";
import { type MeasuredRow, measuredRow } from "./measured-row.ts";
import { withPart } from "./performance-page.ts";
import { mergedRows } from "./results-file.ts";
import { resultsTables } from "./results-table.ts";

const SITUATION = { at: "2026-11-21T08:00:00.000Z", load: 0.5 };
const SMALL = { outline: "1,000", nodes: 1000 };
const LARGE = { outline: "1,000,000", nodes: 1_000_000 };

const COST: BenchRow = {
  id: "cost",
  what: "a request",
  unit: "µs",
  comparison: "cost",
  goal: always(atLeast(0.8)),
  nextGoal: atLeast(1.1),
  floor: "a bare route",
  limit: "the router",
};

describe("a goal", () => {
  it("is met at its value, and easily where it is half better", () => {
    expect([24, 25, 26].map((value) => isMet(atMost(25), value))).toEqual([true, true, false]);
    expect([0.69, 0.7, 2].map((value) => isMet(atLeast(0.7), value))).toEqual([false, true, true]);
    expect([16, 17].map((value) => isMetEasily(atMost(25), value))).toEqual([true, false]);
    expect([1.04, 1.06].map((value) => isMetEasily(atLeast(0.7), value))).toEqual([false, true]);
  });

  it("of nothing is met by nothing alone", () => {
    expect([0, 1].map((value) => isMet(atMost(0), value))).toEqual([true, false]);
    expect(isMetEasily(atMost(0), 0)).toBe(false);
  });

  it("is written as people write it", () => {
    expect(textOfGoal(atMost(12_288))).toBe("≤ 12,288");
  });
});

describe("a measured row", () => {
  it("compares each round with the floor's, and judges the middle of that", () => {
    const figure = { measured: [100, 50, 200], floor: [90, 50, 90] };
    expect(measuredRow(COST, SMALL, [figure], SITUATION)).toEqual({
      id: "cost",
      what: "a request",
      ...SMALL,
      unit: "µs",
      measured: { median: 100, low: 50, high: 200 },
      floor: { median: 90, low: 50, high: 90 },
      ratio: { median: 0.9, low: 0.45, high: 1 },
      goal: "≥ 0.8",
      met: true,
      ...SITUATION,
    });
  });

  it("of a rate is better when it is more, and may be worth another goal", () => {
    const row = { ...COST, comparison: "rate" } as const;
    const measured = measuredRow(row, SMALL, [{ measured: 300, floor: 200 }], SITUATION);
    expect(measured).toMatchObject({ ratio: { median: 1.5 }, met: true, nextGoal: "≥ 1.1" });
    const missed = measuredRow(row, SMALL, [{ measured: 100, floor: 200 }], SITUATION);
    expect(missed).toMatchObject({ ratio: { median: 0.5 }, met: false });
    expect(missed).not.toHaveProperty("nextGoal");
  });

  it("without a goal for its size is neither met nor missed", () => {
    const row = { ...COST, goal: upTo(1000, atLeast(0.8)) };
    const measured = measuredRow(row, LARGE, [{ measured: 100, floor: 10 }], SITUATION);
    expect(measured).not.toHaveProperty("met");
  });
});

function rowOf(ratio: number, place = SMALL, id = "cost"): MeasuredRow {
  return measuredRow({ ...COST, id }, place, [{ measured: 100, floor: ratio * 100 }], SITUATION);
}

describe("the growth of a row", () => {
  const growth = {
    id: "growth",
    what: "larger",
    of: "cost",
    from: "1,000",
    to: "1,000,000",
    goal: atMost(1.5),
    limit: "",
  };

  it("compares how far each size is from its floor", () => {
    const measured = measuredGrowth(growth, [rowOf(0.9), rowOf(0.5, LARGE)]);
    expect(measured).toMatchObject({ measured: { median: 1.8 }, met: false });
    expect(measuredGrowth(growth, [rowOf(0.9), rowOf(0.7, LARGE)])).toMatchObject({ met: true });
  });

  it("is not there while a size is missing", () => {
    expect(measuredGrowth(growth, [rowOf(0.9)])).toBeUndefined();
  });
});

describe("the results", () => {
  it("keep what was not measured again, in the order of the rows, by size", () => {
    const earlier = [rowOf(0.7, LARGE), rowOf(0.7), rowOf(0.7, SMALL, "gone")];
    const rows = mergedRows(
      earlier,
      [rowOf(0.9), rowOf(1, SMALL, "other")],
      new Set(["other", "cost"]),
    );
    expect(rows.map(({ id, nodes, ratio }) => [id, nodes, ratio?.median])).toEqual([
      ["other", 1000, 1],
      ["cost", 1000, 0.9],
      ["cost", 1_000_000, 0.7],
    ]);
  });

  it("are a table that says goal, figures, floor and limit, and shows what is missed", () => {
    const machine = { node: "v20", cores: 2, cpu: "some", memoryGb: 8, platform: "linux x64" };
    const tables = [{ title: "Requests", rows: [COST] }];
    const text = resultsTables(tables, { machine, rows: [rowOf(0.9), rowOf(0.5, LARGE)] });
    expect(text.split("\n").slice(2)).toEqual([
      "### Requests",
      "",
      "|  | goal | 1,000 | 1,000,000 | limited by | next goal |",
      "| --- | --- | ---: | ---: | --- | --- |",
      "| a request, µs [a bare route] | ≥ 0.8 | 0.9: 100 [90] | **0.5**: 100 [50] | the router |  |",
    ]);
  });

  it("take the place of a part of the page, and only of that", () => {
    const page = "before\n<!-- it: written by the benchmark -->\nold\n<!-- end of it -->\nbehind\n";
    expect(withPart(page, "it", "new")).toBe(
      "before\n<!-- it: written by the benchmark -->\n\nnew\n\n<!-- end of it -->\nbehind\n",
    );
    expect(() => withPart("nothing", "it", "new")).toThrow("no part it");
  });
});

describe("the rows of the benchmark", () => {
  it("have ids of their own, and grow from rows that are there", () => {
    const ids = BENCH_GROUPS.flatMap((group) => group.rows.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    for (const { of } of GROWTH_ROWS) expect(ids).toContain(of);
  });
});
