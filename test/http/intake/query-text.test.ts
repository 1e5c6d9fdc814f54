import { expect, test } from "vitest";
import { keepQueryText, parseQuery } from "../../../src/http/intake/query-text.ts";

function outcomeOf(text: string): unknown {
  const query = parseQuery(text);
  return query.kind === "query" ? { ...query.fields } : query.code;
}

test.each([
  ["", {}],
  ["&&", {}],
  ["parent_id=inbox", { parent_id: "inbox" }],
  ["parent_id", { parent_id: "" }],
  ["parent_id=", { parent_id: "" }],
  ["parent_id=a=b", { parent_id: "a=b" }],
  ["parent%5Fid=%E2%9C%93+x", { parent_id: "✓ x" }],
  ["a=1&b=2&a=3", { a: ["1", "3"], b: "2" }],
  ["a=1&a=2&a=3", { a: ["1", "2", "3"] }],
  ["constructor=x&toString=y", { constructor: "x", toString: "y" }],
  ["a=%", "invalid_request"],
  ["a=%zz", "invalid_request"],
  ["%ff=a", "invalid_request"],
  ["a=%ED%A0%80", "invalid_request"],
])("[E10, E16] the query %j", (text, expected) => {
  expect(outcomeOf(text)).toEqual(expected);
});

test("[E19] a field that stands there a hundred thousand times is read in linear time", () => {
  // Quadratic work would take minutes.
  expect(outcomeOf("a&".repeat(100_000))).toEqual({ a: Array<string>(100_000).fill("") });
});

test("[E10] a field may be called __proto__", () => {
  const query = parseQuery("__proto__=x");
  expect(query.kind === "query" && Object.entries(query.fields)).toEqual([["__proto__", "x"]]);
});

test("[E19] the router's parser takes any text", () => {
  for (const text of ["", "%", "%ff&&=", "\uD800"]) expect(keepQueryText(text).text).toBe(text);
});
