import fc from "fast-check";

import { type ModelName, PREFIXES, WORDS } from "./model-name.ts";
import type { ModelFields } from "./outline-model.ts";

/** What a step refers to, chosen when it runs among what is there then. */
export interface Pick {
  readonly what: "node" | "dead" | "top" | "system" | "relative" | "shortcut" | "unknown";
  readonly index: number;
  readonly form: number;
}

export type Step =
  | {
      readonly do: "create";
      readonly at: Pick;
      readonly name: ModelName;
      readonly fields: ModelFields;
    }
  | {
      readonly do: "update";
      readonly at: Pick;
      /** `same` sends the name that is stored. */
      readonly name: ModelName | "same" | undefined;
      readonly fields: ModelFields;
    }
  | {
      readonly do: "move";
      readonly at: Pick;
      readonly to: Pick;
      readonly position: "top" | "bottom" | undefined;
    }
  | { readonly do: "complete" | "uncomplete" | "remove" | "retrieve" | "list"; readonly at: Pick }
  | { readonly do: "point"; readonly at: Pick; readonly key: number }
  | { readonly do: "unpoint"; readonly key: number }
  | { readonly do: "refused"; readonly at: Pick; readonly how: number }
  | { readonly do: "wait"; readonly seconds: number };

const pick: fc.Arbitrary<Pick> = fc.record({
  what: fc.oneof(
    { weight: 12, arbitrary: fc.constant("node" as const) },
    { weight: 2, arbitrary: fc.constantFrom("top", "system", "relative", "shortcut") },
    { weight: 1, arbitrary: fc.constantFrom("dead", "unknown") },
  ),
  index: fc.nat(1000),
  form: fc.nat(5),
});
const name: fc.Arbitrary<ModelName> = fc
  .array(fc.record({ prefix: fc.constantFrom(...PREFIXES), word: fc.constantFrom(...WORDS) }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => ({ parts }));
const updatedName = name.map(({ parts }): ModelName => {
  const [first, ...rest] = parts;
  if (first === undefined) return { parts };
  return { parts: [first, ...rest.map(({ word }) => ({ prefix: { sent: "" }, word }))] };
});
const layoutMode = fc.constantFrom(
  "bullets",
  "todo",
  "h1",
  "h2",
  "h3",
  "code-block",
  "quote-block",
);
const note = fc.constantFrom("", "a note", "two\nlines");
const position = fc.constantFrom("top" as const, "bottom" as const);
const fields: fc.Arbitrary<ModelFields> = fc.record(
  { layoutMode, note, completed: fc.boolean() },
  { requiredKeys: [] },
);
const createFields: fc.Arbitrary<ModelFields> = fc.record(
  { layoutMode, note: fc.constant("a note"), completed: fc.boolean(), position },
  { requiredKeys: [] },
);
/** One random operation; which node it is about is decided when it runs. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("create"), at: pick, name, fields: createFields }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("update"),
      at: pick,
      name: fc.oneof(updatedName, fc.constantFrom("same" as const, undefined)),
      fields,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("move"),
      at: pick,
      to: pick,
      position: fc.option(position, { nil: undefined }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom("complete", "uncomplete", "remove", "retrieve", "list"),
      at: pick,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("point"), at: pick, key: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unpoint"), key: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("refused"), at: pick, how: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("wait"), seconds: fc.integer({ min: 1, max: 90_000 }) }),
  },
) as fc.Arbitrary<Step>;
