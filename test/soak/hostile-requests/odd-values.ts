import type { Random } from "../../../src/core/node-key.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";
import { type Schema, schemaAt, type Schemas } from "./json-schema.ts";

/** Stands in every text that is sent: a log or a refusal that has it tells what people write. */
export const MARK = "zqsecretqz";

const ODD_TEXTS = [
  "",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "undefined",
  "NaN",
  "\0",
  "\uD800",
  "a\uDFFFb",
  "\uFEFF",
  "\u202Eabc",
  "\r\nX-Evil: 1",
  "../../etc/passwd",
  "%00",
  "%",
  "{{7*7}}",
  "<script>alert(1)</script>",
  `<a href="javascript:alert(1)">x</a>`,
  "**b** *i* [x](javascript:alert(1)) [2026-02-30]",
  "- [ ] x",
  "```\ncode",
  "[".repeat(300),
  "*".repeat(300),
  "e\u0301".repeat(50),
  "👩‍👩‍👧‍👦".repeat(20),
  "0",
  "-1",
  "1e999",
  "2026-02-30",
  "2026-13",
  "9999-12-31",
  "000000000000",
  "00000000-0000-0000-0000-000000000000",
  "https://x/#/",
  "home",
  "inbox",
  "today",
  "None",
];

const ODD_NUMBERS = [
  "0",
  "-0",
  "-1",
  "1.5",
  "1e308",
  "1e999",
  "-1e999",
  "9007199254740991",
  "9007199254740992",
  "1795176000",
  "0.1e1",
  "100000000000000000000000000000",
  "1e-400",
];

export function oddText(random: Random): string {
  const roll = random();
  if (roll < 0.6) return oneOf(random, [...ODD_TEXTS.slice(1), MARK]);
  if (roll < 0.8) return `${MARK} ${oneOf(random, ODD_TEXTS)}`;
  if (roll < 0.82) return MARK.repeat(oneOf(random, [100, 2_500]));
  const length = 1 + integerBelow(random, 30);
  return String.fromCharCode(...Array.from({ length }, () => integerBelow(random, 0x3000)));
}

/** Any JSON, as text: numbers that no program would print, names that stand twice, great depth. */
export function oddJson(random: Random, depth = 0): string {
  const roll = random();
  if (roll < 0.35) return JSON.stringify(oddText(random));
  if (roll < 0.55) return oneOf(random, ODD_NUMBERS);
  if (roll < 0.75 || depth > 3) return oneOf(random, ["null", "true", "false", "[]", "{}"]);
  if (roll < 0.77) return `${"[".repeat(2_000)}${"]".repeat(2_000)}`;
  const items = Array.from({ length: integerBelow(random, 4) }, () => oddJson(random, depth + 1));
  if (roll < 0.88) return `[${items.join(",")}]`;
  return `{${items.map((item) => `${JSON.stringify(oddText(random))}:${item}`).join(",")}}`;
}

/** A value that a schema allows, as JSON text. @param reference a reference to something there */
export function fittingJson(
  random: Random,
  schema: Schema,
  schemas: Schemas,
  reference: () => string,
): string {
  const { $ref, anyOf, enum: values, const: constant, type, properties } = schema;
  const fitting = (inner: Schema): string => fittingJson(random, inner, schemas, reference);
  if (typeof $ref === "string") return fitting(schemaAt($ref, schemas));
  if (Array.isArray(anyOf)) return fitting(oneOf(random, anyOf as readonly Schema[]));
  if (Array.isArray(values)) return JSON.stringify(oneOf(random, values as readonly unknown[]));
  if (constant !== undefined) return JSON.stringify(constant);
  switch (oneOf(random, [type].flat())) {
    case "object": {
      const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
      const fields = Object.entries((properties ?? {}) as Schemas).filter(
        ([name]) => required.has(name) || random() < 0.5,
      );
      const members = fields.map(([name, inner]) => {
        const isReference = name === "id" || name.endsWith("_id");
        const value = isReference ? JSON.stringify(reference()) : fitting(inner);
        return `${JSON.stringify(name)}:${value}`;
      });
      return `{${members.join(",")}}`;
    }
    case "array":
      return "[]";
    case "integer":
      return String(Math.max(1, integerBelow(random, Math.min(7, Number(schema["maximum"] ?? 7)))));
    case "boolean":
      return random() < 0.5 ? "true" : "false";
    case "null":
      return "null";
    default: {
      const examples = Array.isArray(schema["examples"]) ? (schema["examples"] as string[]) : [];
      if (examples.length > 0 && random() < 0.5) return JSON.stringify(oneOf(random, examples));
      const text = `${MARK} ${oddText(random)}`;
      return JSON.stringify(text.slice(0, Number(schema["maxLength"] ?? Infinity)));
    }
  }
}
