import { describe, expect, it } from "vitest";
import type { Row } from "../../../../../client/app/outline/rows/outline-rows.ts";
import { RowPlaces } from "../../../../../client/app/outline/rows/row-places.ts";
import type { NodeKey } from "../../../../../src/core/node-key.ts";
import { integerBelow, seededRandom } from "../../../../support/seeded-random.ts";

function rowsOf(count: number): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const key = String(index).padStart(12, "a") as NodeKey;
    return {
      key,
      id: key,
      depth: 0,
      hasChildren: false,
      isExpanded: false,
      isContext: false,
      height: 0,
    };
  });
}

describe("the places of rows", () => {
  it("[W65] are those of a usual line until they are measured", () => {
    const places = new RowPlaces(30);
    places.rows = rowsOf(4);
    expect([0, 1, 4, 9].map((index) => places.topOf(index))).toEqual([0, 30, 120, 120]);
    expect(places.measured(new Map([[1, 20]]))).toBe(true);
    expect([places.topOf(1), places.height]).toEqual([20, 80]);
    expect(places.measured(new Map([[2, 50]]))).toBe(true);
    expect(places.measured(new Map([[2, 50]]))).toBe(false);
    expect([2, 3, 4].map((index) => places.topOf(index))).toEqual([40, 90, 110]);
    expect([-5, 0, 39, 40, 89, 90, 500].map((y) => places.indexAt(y))).toEqual([
      0, 0, 1, 2, 2, 3, 3,
    ]);
  });

  it("[W65] take the middle one of the first that are measured for a usual line", () => {
    const places = new RowPlaces(30);
    places.rows = rowsOf(10);
    const heights = [240, 20, 20, 40, 20].map((height, index) => [index, height] as const);
    expect(places.measured(new Map(heights))).toBe(true);
    expect(places.topOf(5)).toBe(340);
    expect(places.height).toBe(340 + 5 * 20);
  });

  it("[W65] stay with the rows when others come between, and are forgotten together", () => {
    const places = new RowPlaces(30);
    const [a, b, c] = rowsOf(3) as [Row, Row, Row];
    places.rows = [a, b];
    places.measured(new Map([[0, 30]]));
    places.measured(new Map([[1, 70]]));
    places.rows = [c, a, b];
    expect([0, 1, 2, 3].map((index) => places.topOf(index))).toEqual([0, 30, 60, 130]);
    places.forget();
    expect(places.height).toBe(90);
    places.rows = [];
    expect([places.height, places.indexAt(10)]).toEqual([0, 0]);
  });

  it("[W65] are the sums of the heights, whatever is measured in which order", () => {
    const random = seededRandom(3);
    const places = new RowPlaces(31);
    places.rows = rowsOf(200);
    places.measured(new Map([[0, 31]]));
    for (let step = 0; step < 300; step++) {
      places.measured(new Map([[integerBelow(random, 200), 20 + integerBelow(random, 60)]]));
      const index = integerBelow(random, 201);
      const sum = places.rows.slice(0, index).reduce((top, row) => top + (row.height || 31), 0);
      expect(places.topOf(index)).toBe(sum);
      if (index < 200) expect(places.indexAt(sum)).toBe(index);
    }
  });
});
