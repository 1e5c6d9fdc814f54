import { expect, test } from "vitest";
import { LeftPlaces, type LeftPlace } from "../../../../../client/app/outline/focus/left-places.ts";
import type { NodeKey } from "../../../../../src/core/node-key.ts";

const id = "0123456789ab" as NodeKey;
const place: LeftPlace = {
  top: 12,
  row: { id, offset: -3.5 },
  caret: { kind: "text", id, part: "note", anchor: 1, head: 2 },
};

test("[W290] places outlive the page, the last sixty of them", () => {
  const places = new LeftPlaces(undefined);
  places.leave("first", place);
  places.leave("second", { top: 1 });
  for (let count = 0; count < 59; count++) {
    places.leave(`${count}`, { top: count });
    places.leave("second", { top: 2 });
  }
  const again = new LeftPlaces(JSON.parse(JSON.stringify(places.stored())));
  expect(again.get("first")).toBeUndefined();
  expect(again.get("second")).toEqual({ top: 2 });
  expect(again.get("58")).toEqual({ top: 58 });
  places.leave("first", place);
  expect(new LeftPlaces(JSON.parse(JSON.stringify(places.stored()))).get("first")).toEqual(place);
});

test.each([
  [null],
  ["text"],
  [[["a"]]],
  [[["a", { top: "1" }]]],
  [[[1, { top: 1 }]]],
  [{ length: 1e9 }],
])("[W290] what is no record of places counts as none: %j", (stored) => {
  expect(new LeftPlaces(stored).stored()).toEqual([]);
});

test("[W290] of a damaged place what can be read is used", () => {
  const stored = [
    ["a", { top: 5, row: { id: "x", offset: 1 }, caret: { ...place.caret, head: "" } }],
  ];
  expect(new LeftPlaces(stored).get("a")).toEqual({ top: 5 });
});
