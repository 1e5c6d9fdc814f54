import { expect, test } from "vitest";
import { readJsonBody } from "../../../src/http/intake/json-body.ts";

function outcomeOf(source: string): unknown {
  const body = readJsonBody(source);
  return body.kind === "body" ? body.value : body.code;
}

test.each([
  ["", undefined],
  [" \r\n\t", undefined],
  ['{"name":"x"}', { name: "x" }],
  ['\uFEFF{"name":"x"}', { name: "x" }],
  ['{"a":1,"a":2}', { a: 2 }],
  ["null", null],
  ["{", "invalid_request"],
  ['{"a":1,}', "invalid_request"],
  ['{"a":1}{"b":2}', "invalid_request"],
  ["{'a':1}", "invalid_request"],
  ["NaN", "invalid_request"],
  ["\0", "invalid_request"],
])("[E5, E11] %j is read as JSON, and nothing as nothing", (source, expected) => {
  expect(outcomeOf(source)).toEqual(expected);
});

test("[E10] a __proto__ stays a field of the body alone", () => {
  const value = outcomeOf('{"__proto__":{"name":"x"}}') as object;
  expect(Object.keys(value)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});
