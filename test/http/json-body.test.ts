import { expect, test } from "vitest";
import { readJsonBody } from "../../src/http/json-body.ts";

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

test("[E28] a large body of more values than anyone needs is refused", () => {
  const values = 250_000;
  expect(outcomeOf(`[${"1,".repeat(values)}1]`)).toBe("invalid_request");
  expect(outcomeOf("[".repeat(values + 1))).toBe("invalid_request");
  expect(outcomeOf(`[${"{},".repeat(values)}{}]`)).toBe("invalid_request");
  expect((outcomeOf(`[${"1,".repeat(values - 10)}1]`) as unknown[]).length).toBe(values - 9);
});

test("[E28] commas and brackets of a text are no values", () => {
  const text = `${',[{"\\'.repeat(100_000)}"`;
  expect(outcomeOf(JSON.stringify({ name: text, note: text }))).toEqual({ name: text, note: text });
});

test("[E28] ten megabytes of brackets hold nobody up", () => {
  const before = process.cpuUsage();
  expect(outcomeOf("[".repeat(10 * 1024 * 1024))).toBe("invalid_request");
  expect(outcomeOf(`"${'\\"'.repeat(5 * 1024 * 1024 - 2)}`)).toBe("invalid_request");
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
});
