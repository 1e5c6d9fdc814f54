import { z } from "zod";
import { LAYOUT_WORD } from "../../core/node/layout.ts";
import { named, NODE_REFERENCE, PARENT_REFERENCE } from "../api-schemas.ts";
import { listOf } from "../edits/list-of.ts";
import { layoutOfWord } from "./doc-layout.ts";

/** Of one edit. */
const MOST_OPERATIONS = 1_000;

/** What some programs write before a shortcut and the like. */
const TARGET_MARK = /^target:/i;

const REFERENCE = NODE_REFERENCE.transform(bareReference);
const PLACE_REFERENCE = PARENT_REFERENCE.transform(bareReference);

export function bareReference(text: string): string {
  return text.replace(TARGET_MARK, "");
}

const LAYOUT = z
  .string()
  .regex(LAYOUT_WORD, "expected a word of 1 to 32 letters, digits and dashes")
  .transform((word) => layoutOfWord(word))
  .meta({ description: "As it is read: `todo`, `h1`, `h2`, `h3`, `code`, `quote` …" });

const COMPLETED = z
  .union([z.literal(0), z.literal(1), z.boolean()])
  .transform((value) => value === 1 || value === true)
  .meta({ description: "1 when it is completed, 0 when it is open." });

const POSITION = z
  .enum(["top", "bottom", "last"])
  .transform((position) => (position === "last" ? "bottom" : position))
  .nullish()
  .meta({ description: "First or last among the children of `under`; `top` when left out." });

const NAME = z.string().meta({
  description: "Markdown and HTML, as in the API; one node, however many lines it has.",
});
const NOTE = z.string().nullish().meta({ description: "HTML with line breaks." });

export const DOC_ITEM = named(
  "DocItem",
  z
    .object({
      n: NAME,
      d: NOTE,
      l: LAYOUT.nullish(),
      x: COMPLETED.nullish(),
      c: listOf("DocItem").nullish(),
    })
    .meta({
      description: "A new node, with what is to be below it.",
      examples: [{ n: "Trip", c: [{ n: "book", l: "todo" }] }],
    }),
);

const INSERT = z.object({
  op: z.literal("insert"),
  under: PLACE_REFERENCE.nullish(),
  after: REFERENCE.nullish().meta({ description: "The sibling to follow; beats `under`." }),
  position: POSITION,
  items: listOf("DocItem").min(1),
});

const UPDATE = z.object({
  op: z.literal("update"),
  ref: REFERENCE,
  to: z
    .object({
      n: NAME.nullish(),
      d: NOTE.meta({ description: 'Cleared by `""`.' }),
      l: LAYOUT.nullish(),
      x: COMPLETED.nullish(),
      c: z
        .never({ error: "children can't be set by an update: insert and delete them" })
        .optional(),
    })
    .refine(({ n, d, l, x }) => [n, d, l, x].some((value) => value !== undefined), {
      error: "expected at least one of n, d, l and x",
    }),
});

const DELETE = z.object({ op: z.literal("delete"), ref: REFERENCE });

const MOVE = z.object({
  op: z.literal("move"),
  ref: REFERENCE,
  under: PLACE_REFERENCE.nullish(),
  position: POSITION,
});

export const DOC_OPERATION = named(
  "DocOperation",
  z
    .discriminatedUnion("op", [INSERT, UPDATE, DELETE, MOVE])
    .meta({ examples: [{ op: "insert", under: "today", items: [{ n: "call" }] }] }),
);

export const DOC_EDIT = named(
  "DocEdit",
  z.object({
    root: PLACE_REFERENCE.nullish().meta({
      description: "Where the caller looks from. What is edited may be elsewhere.",
    }),
    operations: listOf("DocOperation").min(1).max(MOST_OPERATIONS),
  }),
);

export const DOC_EDITED = named(
  "DocEdited",
  z.strictObject({
    status: z.literal("ok"),
    results: z
      .array(
        z.strictObject({
          op: z.enum(["insert", "update", "delete", "move"]),
          ids: z
            .array(z.string().regex(/^[0-9a-f]{12}$/))
            .optional()
            .meta({ description: "Short ids of the outermost new nodes." }),
        }),
      )
      .meta({ description: "One for each operation, in their order." }),
  }),
);

export type DocOperation = z.infer<typeof DOC_OPERATION>;
