import { expect, test } from "vitest";
import { newRecentMap } from "../../src/charges/recent-map.ts";

test("[A10] a memory of keys is bounded, and what was not used for longest goes first", () => {
  const map = newRecentMap<number>(3);
  for (const key of ["a", "b", "c"]) map.set(key, 1);
  map.get("a");
  map.set("d", 1);
  expect([...map.keys()].toSorted()).toEqual(["a", "c", "d"]);
});
