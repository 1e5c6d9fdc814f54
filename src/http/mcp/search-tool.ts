import { z } from "zod";
import type { NodeKey } from "../../core/node-key.ts";
import type { SearchTexts } from "../../documents/memory/search-texts.ts";
import { searchIn } from "../operations/search-nodes.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { keysAbove, type Search, searching } from "../answer/search-answer.ts";
import { reading } from "../service.ts";
import { lineOf } from "./node-lines.ts";
import { IS_DATA } from "./read-tools.ts";
import { limitField, ROOT_FIELD, SAID_FIELDS, saidOf } from "./tool-fields.ts";
import { defineTool, madeInTurns } from "./tool.ts";

const STANDARD = 20;
const MOST = 100;
const MOST_ABOVE = 10;
const MOST_NAME = 60;

const OUTPUT = z.object({
  matches: z.array(
    z.object({
      id: z.string(),
      path: z
        .array(z.string())
        .meta({ description: "The names of what it is in, outermost first." }),
      ...SAID_FIELDS,
    }),
  ),
  more: z.boolean().meta({ description: "Whether there are more than were asked for." }),
  warnings: z.array(z.string()).optional().meta({
    description: "What of the query was looked for as a word, though it looks like an operator.",
  }),
});

type Output = z.infer<typeof OUTPUT>;

export const outlineSearch = defineTool({
  name: "outline_search",
  title: "Search the outline",
  description:
    'Finds nodes by words, which may be parts of words: `"quoted words"`, `-not`, `OR`, `#tag`, `@name`, `is:todo`, `is:complete`, `has:note`, `has:link`, `changed:1d`, `created:2026-11`, `due:today` (or `overdue`, `tomorrow`, `7d`, `2026-12`), `A > B` for B below A. ' +
    "Use it when you don't know where something is; then outline_read with an id shows it with what is below it. " +
    IS_DATA,
  isWriting: false,
  isDestructive: false,
  input: z.strictObject({
    query: z.string(),
    root: ROOT_FIELD,
    limit: limitField(STANDARD, MOST),
  }),
  output: OUTPUT,
  async run({ query, root, limit }, call) {
    const { service } = call;
    const asked = { q: query, root: root ?? undefined, limit: Math.min(limit ?? STANDARD, MOST) };
    const search = await reading(service, call, (view) => searchIn(view, asked, service.now()));
    if (search.kind === "problem") return search;
    const output = (await madeInTurns(call, (view) =>
      matchPieces(view, search, service.documents.searchTexts),
    )) as Output;
    return { kind: "answer", output, text: textOf(output) };
  },
});

/** The JSON of what is found, with an empty text wherever others may have their turn. */
function* matchPieces(view: ScopedOutline, search: Search, texts: SearchTexts): Generator<string> {
  const { matches: found, hasMore: more } = yield* searching(view, search, texts);
  const matches: object[] = [];
  for (const { key } of found) {
    yield "";
    const match = matchOf(view, search.from, key);
    if (match !== undefined) matches.push(match);
  }
  const warnings = search.warnings.map(({ message }) => message);
  yield JSON.stringify({ matches, more, ...(warnings.length > 0 && { warnings }) });
}

function matchOf(view: ScopedOutline, from: NodeKey, key: NodeKey): object | undefined {
  const { outline } = view;
  const shape = outline.shape(key);
  // It may have been deleted or moved away while others had their turn.
  if (shape === undefined || !outline.contains(from, key)) return undefined;
  const path = keysAbove(view, key, MOST_ABOVE).map((above) =>
    lineOf(outline.richText(above, "name"), MOST_NAME),
  );
  return { id: key, path, ...saidOf(outline, shape) };
}

function textOf({ matches, more, warnings = [] }: Output): string {
  const warned = warnings.map((message) => `(${message})\n`).join("");
  if (matches.length === 0) return `(nothing found)\n${warned}`;
  const lines = matches.map(({ id, path, text, completed }) => {
    const where = path.length === 0 ? "" : ` (in ${path.join(" > ")})`;
    return `- ${completed ? "[x] " : ""}${text} ^${id}${where}\n`;
  });
  return lines.join("") + (more ? "(there are more)\n" : "") + warned;
}
