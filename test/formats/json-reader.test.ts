import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonObject, JsonReader, type JsonValue } from "../../src/formats/json-reader.ts";

const FRAGMENTS = '{ } [ ] , : " \\ t u 0041 - 1 . e + true \n "a" null 01 1e5'
  .split(" ")
  .concat(" ");
const MEMBERS = new Set(["a", "b", "nodes"]);

function read(pieces: readonly string[], maxDepth = 100) {
  const reader = new JsonReader({ members: MEMBERS, maxDepth, maxStringLength: 1000 });
  for (const piece of pieces) reader.push(piece);
  return reader.finish();
}

/** The same value as `JSON.parse` gives, where only kept members are used. */
function plain(value: JsonValue): unknown {
  if (value instanceof JsonObject) {
    return Object.fromEntries(
      Object.entries(value.members).map(([member, inner]) => [member, plain(inner)]),
    );
  }
  if (Array.isArray(value)) return value.map((inner: JsonValue) => plain(inner));
  return value;
}

/** Cuts a text at the given places. */
function cut(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  const pieces: string[] = [];
  let from = 0;
  for (const end of [...ends, text.length]) {
    pieces.push(text.slice(from, end));
    from = end;
  }
  return pieces;
}

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: "binary" }),
    fc.array(tie("value")),
    fc.dictionary(fc.constantFrom("a", "b", "nodes"), tie("value"), { noNullPrototype: true }),
  ),
})).value;

describe("JsonReader", () => {
  test("[F1] reads what JSON.parse reads, however it is cut", () => {
    fc.assert(
      fc.property(
        json,
        fc.boolean(),
        fc.array(fc.nat(), { maxLength: 20 }),
        (value, wide, places) => {
          const text = JSON.stringify(value, null, wide ? 2 : undefined);
          const result = read(cut(text, places));
          expect(result.kind).toBe("read");
          if (result.kind === "read") {
            expect(JSON.stringify(plain(result.value))).toBe(JSON.stringify(JSON.parse(text)));
          }
        },
      ),
    );
  });

  test("[F1] refuses what JSON.parse refuses, however it is cut", () => {
    const fragments = fc.constantFrom(...FRAGMENTS);
    let refused = 0;
    fc.assert(
      fc.property(fc.array(fragments), fc.array(fc.nat(), { maxLength: 5 }), (parts, places) => {
        const text = parts.join("");
        let isValid = true;
        try {
          JSON.parse(text);
        } catch {
          isValid = false;
          refused++;
        }
        expect(read(cut(text, places)).kind).toBe(isValid ? "read" : "broken");
      }),
      { numRuns: 3000 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  test("drops the members nobody asked for, with all below them", () => {
    expect(
      read(['{"a":1,"junk":{"a":[{"b":2}]},"__proto__":{"b":3},"b":[{"junk":1,"a":4}]}']),
    ).toEqual({
      kind: "read",
      value: new JsonObject(1, { a: 1, b: [new JsonObject(1, { a: 4 })] }),
    });
  });

  test.each([
    ['{"a":\n1,\n}', 3, "} where a member name should stand"],
    ["[1,\n\n2", 3, "the file ends where , or ] should follow"],
    ['["x', 1, "the file ends inside a text"],
    ['["x\ny"]', 1, "a line break inside a text"],
    ["[1] 2", 1, "2 where the end of the file should stand"],
    ["", 1, "the file ends where a value should follow"],
    ["[tru]", 1, "tru where a value or ] should stand"],
    ['["\\x"]', 1, "a backslash with nothing valid after it"],
    [`["${"x".repeat(1001)}"]`, 1, "a text of over 1000 characters"],
  ])("[F2] says line and reason: %s", (text, line, reason) => {
    expect(read([text])).toEqual({ kind: "broken", line, reason });
  });

  test("[F3, Q75] bounds depth without recursion", () => {
    expect(read(["[".repeat(200_000)])).toEqual({
      kind: "broken",
      line: 1,
      reason: "more than 100 levels of brackets",
    });
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect(read([deep], 100_000).kind).toBe("read");
  });
});
