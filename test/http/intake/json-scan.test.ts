import { expect, test } from "vitest";
import { JsonScan } from "../../../src/http/intake/json-scan.ts";

/** Scanned in pieces of so many bytes. */
function excessOf(text: string, pieceBytes = 7, maxEscapes = Infinity): string | undefined {
  const scan = new JsonScan(maxEscapes);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    scan.push(bytes.subarray(at, at + pieceBytes));
  }
  return scan.excess;
}

test.each([
  ["values of a list", `[${"1,".repeat(1000)}1]`],
  ["brackets", "[".repeat(1001)],
  ["objects", `[${"{},".repeat(600)}{}]`],
  ["members", `{${'"a":1,'.repeat(1000)}"a":1}`],
])("[E28, Q18] more than a thousand %s are too many", (_what, text) => {
  expect(excessOf(text)).toBe("values");
  expect(excessOf(text.slice(0, text.length / 2))).toBe(undefined);
});

test("[E28, Q18] what is in a text is no value, wherever the pieces of the body end", () => {
  const text = JSON.stringify({ name: ',[{"\\'.repeat(1000), note: '\\"' });
  for (const pieceBytes of [1, 2, 3, 5, 1000, 100_000]) {
    expect(excessOf(text, pieceBytes)).toBe(undefined);
    expect(excessOf(`${text}${",".repeat(1001)}`, pieceBytes)).toBe("values");
  }
});

test("[Q18] characters that are escaped are counted, of all kinds", () => {
  const text = '["\\n\\u0041\\\\","\\""]';
  expect(JSON.parse(text)).toEqual(["\nA\\", '"']);
  expect([excessOf(text, 1, 4), excessOf(text, 1, 3)]).toEqual([undefined, "escapes"]);
});
