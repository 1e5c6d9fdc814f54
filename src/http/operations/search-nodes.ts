import { z } from "zod";
import { MOST_COUNTED } from "../../core/search/find-matches.ts";
import { parseQuery } from "../../core/search/parse-query.ts";
import { warningsOf } from "../../core/search/query-warnings.ts";
import { termsOf } from "../../core/search/query.ts";
import {
  CURSOR,
  limitOf,
  named,
  NEXT_CURSOR,
  NODE,
  NODE_ID,
  PARENT_REFERENCE,
} from "../api-schemas.ts";
import { type CursorScope, readCursor } from "../answer/cursor.ts";
import { defineOperation } from "../operation.ts";
import { NO_SUCH_NODE, problem, type Problem } from "../problem.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { MOST_LATEST, placeOfParts, type Search, searchPieces } from "../answer/search-answer.ts";
import { reading, streamingPieces } from "../service.ts";

const STANDARD = 50;
const MOST = 500;
const MOST_CHARACTERS = 1000;
const MOST_TERMS = 50;

const EXTRAS = ["path", "spans", "count", "warnings"] as const;

const INCLUDE = z
  .string()
  .transform((text) => text.split(",").filter((word) => word !== ""))
  .pipe(z.array(z.enum(EXTRAS)))
  .meta({ description: `What else is answered, separated by commas: ${EXTRAS.join(", ")}.` });

const SPANS = z.array(z.tuple([z.int(), z.int()])).meta({
  description: "From and to, in UTF-16 units of the plain text; the first hundred.",
});

const MATCH = z.strictObject({
  node: NODE,
  path: z
    .array(z.strictObject({ id: NODE_ID, name: z.string() }))
    .optional()
    .meta({
      description:
        "What the node is in, from the top: names as plain text, 200 characters each. Of what is " +
        "deeper than 100 levels, the nearest hundred.",
    }),
  spans: z.strictObject({ name: SPANS, note: SPANS }).optional(),
});

const QUERY = z.object({
  q: z.string().meta({
    description:
      'Words, which may be parts of words, without case and accents; `"quoted"`, `-not`, `OR`, `#tag`, ' +
      "`@name`, `is:todo`, `is:complete`, `has:note`, `has:link`, `has:date`, `has:colour`, `in:note`, " +
      "`changed:1d`, `created:2026-11`, `due:today`, `colour:red`, `backlinks:` with an id, and `A > B` for " +
      "what B finds below something that A finds. At most " +
      `${MOST_CHARACTERS} characters and ${MOST_TERMS} terms; nothing else in it is an error: what is no ` +
      "operator is a word, of which `include=warnings` tells.",
    examples: ["milk -is:complete"],
  }),
  root: PARENT_REFERENCE.optional().meta({
    description: "Only this node and what is below it.",
  }),
  limit: limitOf(STANDARD, MOST).optional(),
  cursor: CURSOR.optional(),
  sort: z
    .enum(["document", "modified"])
    .optional()
    .meta({
      description: `In document order, or the latest first: then at most ${MOST_LATEST} in all.`,
    }),
  include: INCLUDE.optional(),
});

export const searchNodes = defineOperation({
  id: "searchNodes",
  method: "GET",
  path: "/api/v1/search",
  tag: "Nodes",
  summary: "Search nodes",
  description:
    "Finds nodes by the language of the app's search box. Which nodes there are, and in which order, is " +
    "as it was at one moment for one answer; the next one goes on behind the last node, by its place then.",
  needs: { write: false, wholeOutline: false },
  query: QUERY,
  answer: named(
    "Matches",
    z.strictObject({
      matches: z.array(MATCH),
      cursor: NEXT_CURSOR,
      count: z
        .int()
        .nullable()
        .optional()
        .meta({
          description: `All matches; \`null\` when they are more than ${MOST_COUNTED}.`,
        }),
      warnings: z
        .array(z.strictObject({ term: z.string(), message: z.string() }))
        .optional()
        .meta({
          description:
            "What of the query looks like an operator and was looked for as a word, and what to write.",
        }),
    }),
  ),
  problems: ["not_found", "invalid_query", "invalid_cursor", "cursor_expired"],
  async run({ principal, caller, query }, service) {
    const search = await reading(service, caller, (view) => searchIn(view, query, service.now()));
    if (search.kind === "problem") return search;
    const { searchTexts } = service.documents;
    return streamingPieces(service, principal, ["", ""], (view) =>
      searchPieces(view, search, searchTexts),
    );
  },
});

/** A search as it is asked for, or why there is none. */
export function searchIn(
  view: ScopedOutline,
  { q, root, limit, cursor, sort, include = [] }: z.infer<typeof QUERY>,
  nowMs: number,
): Search | Problem {
  if (q.length > MOST_CHARACTERS) {
    return problem("invalid_query", `A query has at most ${MOST_CHARACTERS} characters.`);
  }
  const { timezone } = view.outline.settings();
  const context = { nowMs, timezone };
  const query = parseQuery(q, context);
  if (termsOf(query) > MOST_TERMS) {
    return problem("invalid_query", `A query has at most ${MOST_TERMS} terms.`);
  }
  const from = view.place(root);
  if (from === undefined) return NO_SUCH_NODE;
  const isLatest = sort === "modified";
  const scope: CursorScope = {
    kind: isLatest ? "latest" : "search",
    of: [view.outline.id, view.top, from, q],
  };
  const read = cursor === undefined ? undefined : readCursor(scope, cursor, isLatest ? 3 : 1);
  if (read?.kind === "problem") return read;
  const place = placeOfParts(read?.parts, isLatest);
  if (place.kind === "problem") return place;
  const warnings = warningsOf(q, context);
  return { kind: "search", query, warnings, from, limit: limit ?? STANDARD, scope, place, include };
}
