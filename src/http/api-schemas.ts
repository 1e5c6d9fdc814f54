import { z } from "zod";
import { SYSTEM_TARGETS } from "../core/reference.ts";
import { isLayout, LAYOUT_WORD, LAYOUTS, NO_LAYOUT } from "../core/node/layout.ts";

/**
 * The named schemas of the API. They check what comes in, and they are what the OpenAPI document
 * says of both directions; answers are written by hand and held against them in the tests.
 */
export const API_SCHEMAS = z.registry<{ id: string }>();

/** Registers a schema as a component of the OpenAPI document. */
export function named<S extends z.ZodType>(id: string, schema: S): S {
  API_SCHEMAS.add(schema, { id });
  return schema;
}

const EXAMPLE_ID = "5f0c2ad1-93be-84a7-9c61-8b1e42d07a9f";

export const NODE_ID = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  .meta({
    description: "The full id of a node. Its last 12 digits are the short id.",
    examples: [EXAMPLE_ID],
  });

export const UNIX_SECONDS = z
  .int()
  .positive()
  .meta({ description: "Unix time in seconds.", examples: [1795176000] });

const MODIFIED_AT = z
  .int()
  .positive()
  .meta({
    description:
      "When the server got the last change of name, note, layout, completion or place, in Unix " +
      "seconds: also of what an app typed, online or long before. Imports keep the times of the file. " +
      "To find what has changed since a look, take all with a `modifiedAt` of at least the time " +
      "before that look, by the `Date` of the answer before it.",
    examples: [1795176000],
  });

const LAYOUT_MODE = z
  .string()
  .regex(LAYOUT_WORD, "expected a word of 1 to 32 letters, digits and dashes")
  .meta({
    description:
      `How a node is shown: ${LAYOUTS.map((layout) => `\`${layout}\``).join(", ")}. ` +
      "Other words are kept and shown as bullets.",
    examples: [...LAYOUTS],
  });

/** A layout that is asked for; undefined when that is the word for none. */
export const WANTED_LAYOUT = LAYOUT_MODE.transform((word) =>
  isLayout(word) ? word : undefined,
).meta({
  description: `As nodes have it; \`${NO_LAYOUT}\` counts as not given.`,
});

export const POSITION = z
  .enum(["top", "bottom", "last"])
  .transform((position) => (position === "last" ? "bottom" : position))
  .meta({
    description: "First or last among the children of the parent; `top` when not given.",
  });

export const NODE_REFERENCE = z.string().meta({
  description: "A reference to a node that is there.",
  examples: ["8b1e42d07a9f"],
});

export const PARENT_REFERENCE = z.string().meta({
  description: "A reference to a node, or the top level, which it is when left out.",
  examples: ["inbox"],
});

const MIRROR = z
  .union([
    z.strictObject({ origin_id: NODE_ID.nullable() }),
    z.strictObject({ mirror_ids: z.array(NODE_ID).min(1) }),
  ])
  .meta({
    description:
      "Only of a mirror and of what has mirrors: `origin_id` is what the node is a mirror of, whose name, " +
      "note, layout and completion it has (`null`, and none of these, where the key does not reach that); " +
      "`mirror_ids` are its mirrors.",
  });

export const NODE = named(
  "Node",
  z
    .strictObject({
      id: NODE_ID,
      parent_id: NODE_ID.nullable().meta({ description: "`null` at the top level." }),
      name: z.string().meta({ description: "An HTML fragment." }),
      note: z.string().nullable().meta({ description: "An HTML fragment with line breaks." }),
      priority: z.int().positive().meta({ description: "Order among the siblings, ascending." }),
      completed: z.boolean().meta({ description: "Whether `completedAt` is set." }),
      data: z.looseObject({ layoutMode: LAYOUT_MODE, mirror: MIRROR.optional() }),
      createdAt: UNIX_SECONDS,
      modifiedAt: MODIFIED_AT,
      completedAt: UNIX_SECONDS.nullable(),
    })
    .meta({
      description: "One bullet of the outline.",
      examples: [
        {
          id: EXAMPLE_ID,
          parent_id: null,
          name: "Buy <b>milk</b>",
          note: null,
          priority: 100,
          completed: false,
          data: { layoutMode: "todo" },
          createdAt: 1795176000,
          modifiedAt: 1795176060,
          completedAt: null,
        },
      ],
    }),
);

/** How many of a list: above the maximum it counts as the maximum. */
export function limitOf(standard: number, most: number) {
  return z
    .string()
    .regex(/^[1-9][0-9]*$/, "expected a whole number from 1 on")
    .transform((digits) => Math.min(Number(digits), most))
    .meta({
      description: `How many at most; ${standard} when left out, and never more than ${most}.`,
    });
}

export const CURSOR = z.string().meta({
  description: "Where to go on: the `cursor` of the answer before, to the same request.",
});

export const NEXT_CURSOR = z.string().nullable().meta({
  description: "To be given with the same request for what follows; `null` at the end.",
});

export const NODE_LIST = named("NodeList", z.strictObject({ nodes: z.array(NODE) }));

export const DONE = named("Done", z.strictObject({ status: z.literal("ok") }));

export const TARGET = named(
  "Target",
  z
    .strictObject({
      key: z.string().meta({ examples: [...SYSTEM_TARGETS] }),
      type: z.enum(["system", "shortcut"]),
      name: z
        .string()
        .nullable()
        .meta({
          description: "The name of its node; `null` while a system target has none.",
          examples: ["Inbox"],
        }),
    })
    .meta({ description: "A named entry point of the outline." }),
);

export const SETTINGS = named(
  "Settings",
  z.strictObject({
    timezone: z.string().meta({ description: "An IANA name.", examples: ["Europe/Paris"] }),
    weekStart: z.int().min(0).max(6).meta({ description: "0 is Sunday." }),
  }),
);

export const KEY_ID = z.string().meta({
  description: "What an API key is called, in the list and to revoke it.",
  examples: ["key_4PqT0mZkXw7bVc2N"],
});

export const API_KEY = named(
  "ApiKey",
  z
    .strictObject({
      id: KEY_ID,
      name: z.string().meta({ examples: ["phone"] }),
      scope: z.enum(["write", "read"]),
      root_id: NODE_ID.nullable().meta({
        description: "With it the key reaches only this node and what is below it.",
      }),
      createdAt: UNIX_SECONDS,
      lastUsedAt: UNIX_SECONDS.nullable(),
      expiresAt: UNIX_SECONDS.nullable(),
    })
    .meta({ description: "An API key; the key itself is shown only when it is made." }),
);

export const SESSION_ID = z.string().meta({
  description: "What the session of a browser is called, in the list and to end it.",
  examples: ["session_4PqT0mZkXw7bVc2N"],
});

export const SESSION = named(
  "Session",
  z
    .strictObject({
      id: SESSION_ID,
      key_id: KEY_ID,
      browser: z.string().meta({
        description: "What the browser said it is.",
        examples: ["Firefox on Linux"],
      }),
      current: z.boolean().meta({ description: "Whether it is the one that asks." }),
      createdAt: UNIX_SECONDS,
      lastUsedAt: UNIX_SECONDS,
      expiresAt: UNIX_SECONDS,
    })
    .meta({ description: "A browser that is signed in with a key." }),
);

export const PROBLEM = named(
  "Problem",
  z
    .strictObject({
      error: z.string(),
      code: z.string().meta({ examples: ["not_found"] }),
      message: z.string(),
      retry_after: z.int().positive().optional().meta({
        description: "Seconds to wait; there exactly with `rate_limited`.",
      }),
      operation: z.int().nonnegative().optional().meta({
        description: "Which operation of a batch is refused, from 0.",
      }),
    })
    .meta({ description: "Why a request was not answered." }),
);
