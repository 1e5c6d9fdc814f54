import { z } from "zod";
import {
  named,
  NODE_ID,
  NODE_REFERENCE,
  PARENT_REFERENCE,
  UNIX_SECONDS,
  WANTED_LAYOUT,
} from "../api-schemas.ts";
import { listOf } from "../edits/list-of.ts";
import { PLACE } from "../place-schema.ts";

/** Of one batch. */
const MOST_OPERATIONS = 10_000;

/** How an operation calls a node that it makes, for those behind it. */
const HANDLE = z
  .string()
  .regex(
    /^\$[A-Za-z0-9_-]{1,64}$/,
    "expected $ and 1 to 64 letters, digits, dashes and underscores",
  )
  .meta({
    description: "A name for the new node, which later operations refer to it by.",
    examples: ["$trip"],
  });

const DRAFT_FIELDS = {
  name: z.string().meta({ description: "Text with markdown, as in a create." }),
  note: z.string().nullish(),
  layoutMode: WANTED_LAYOUT.nullish(),
  completed: z.boolean().nullish(),
  as: HANDLE.nullish(),
  children: listOf("BatchDraft").nullish(),
};

export const BATCH_DRAFT = named(
  "BatchDraft",
  z.object(DRAFT_FIELDS).meta({
    description: "A new node. One with `children` has a name of one part.",
    examples: [{ name: "book", layoutMode: "todo" }],
  }),
);

const EXPECT = z
  .object({
    modifiedAt: UNIX_SECONDS.optional(),
    name: z.string().optional(),
    note: z.string().nullable().optional(),
    parent_id: z.string().nullable().optional(),
  })
  .nullish()
  .meta({
    description:
      "What the node was when the caller read it, as it was answered; 409 `conflict` when it is not. Before the first operation of the batch that changes it.",
  });

const CREATE = z.object({
  op: z.literal("create"),
  parent_id: PARENT_REFERENCE.nullish(),
  position: PLACE.nullish(),
  ...DRAFT_FIELDS,
});
const UPDATE = z.object({
  op: z.literal("update"),
  id: NODE_REFERENCE,
  name: z.string().nullish(),
  note: z.string().nullish(),
  layoutMode: WANTED_LAYOUT.nullish(),
  completed: z.boolean().nullish(),
  base_name: z.string().nullish(),
  base_note: z.string().nullish(),
  expect: EXPECT,
});
const MOVE = z.object({
  op: z.literal("move"),
  id: NODE_REFERENCE,
  parent_id: PARENT_REFERENCE.nullish(),
  position: PLACE.nullish(),
  expect: EXPECT,
});
const MIRROR = z.object({
  op: z.literal("mirror"),
  id: NODE_REFERENCE,
  parent_id: NODE_REFERENCE.nullish(),
  position: PLACE.nullish(),
  as: HANDLE.nullish(),
});
const MARK = z.object({
  op: z.enum(["complete", "uncomplete", "delete", "remove_mirror"]),
  id: NODE_REFERENCE,
  expect: EXPECT,
});

export const BATCH_OPERATION = named(
  "BatchOperation",
  z.discriminatedUnion("op", [CREATE, UPDATE, MOVE, MIRROR, MARK]).meta({
    examples: [{ op: "create", parent_id: "inbox", name: "Trip", as: "$trip" }],
  }),
);

export const BATCH = named(
  "Batch",
  z.object({
    operations: listOf("BatchOperation").min(1).max(MOST_OPERATIONS),
    dry_run: z.boolean().nullish().meta({
      description: "Judges all of it and does nothing; the ids of new nodes are null.",
    }),
  }),
);

export const BATCH_DONE = named(
  "BatchDone",
  z.strictObject({
    results: z
      .array(
        z.strictObject({
          op: z.enum([
            "create",
            "update",
            "move",
            "complete",
            "uncomplete",
            "delete",
            "mirror",
            "remove_mirror",
          ]),
          id: NODE_ID.nullable().meta({
            description: "Of the node; of the new one for a create and a mirror.",
          }),
          origin_id: NODE_ID.nullable().optional().meta({
            description: "What a mirror is a mirror of.",
          }),
          ids: z.array(NODE_ID).optional().meta({
            description: "All nodes that a create has made, each behind its parent.",
          }),
        }),
      )
      .meta({ description: "One for each operation, in their order." }),
    handles: z.record(z.string(), NODE_ID.nullable()).meta({
      description: "The ids of the nodes that were given names.",
    }),
  }),
);

export type BatchDraft = z.infer<typeof BATCH_DRAFT>;
export type BatchOperation = z.infer<typeof BATCH_OPERATION>;
export type Expectation = z.infer<typeof EXPECT>;
