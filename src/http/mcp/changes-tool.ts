import { z } from "zod";
import { type NodeKey, ROOT } from "../../core/node-key.ts";
import { toldChanges, type ToldChanges } from "../changes/told-changes.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { IS_DATA } from "./read-tools.ts";
import { limitField, ROOT_FIELD, SAID_FIELDS, saidOf } from "./tool-fields.ts";
import { defineTool, madeInTurns } from "./tool.ts";

const STANDARD = 50;
const MOST = 200;

const OUTPUT = z.object({
  changed: z.array(
    z.object({
      id: z.string(),
      in: z.string().nullable().meta({ description: "What it is in; `null` at the top level." }),
      ...SAID_FIELDS,
    }),
  ),
  removed: z
    .array(z.string())
    .meta({ description: "What is no longer there, with all that was below it." }),
  cursor: z.string().meta({ description: "To be given as `since` the next time." }),
  more: z.boolean().meta({ description: "Whether there is more, with the new cursor." }),
});

type Output = z.infer<typeof OUTPUT>;

export const outlineChanges = defineTool({
  name: "outline_changes",
  title: "Read what has changed",
  description:
    "Tells which nodes were made, changed, moved, completed, restored or deleted since a cursor that this tool gave you before. Without `since` it gives you the first cursor and nothing else. " +
    "Use it to see what somebody did since you last looked; for what changed in a span of time use outline_search with `changed:1d`. " +
    IS_DATA,
  isWriting: false,
  isDestructive: false,
  input: z.strictObject({
    since: z.string().nullish().meta({ description: "A `cursor` of this tool." }),
    root: ROOT_FIELD,
    limit: limitField(STANDARD, MOST),
  }),
  output: OUTPUT,
  async run({ since, root, limit }, call) {
    const told = await toldChanges(call.service, call.principal, {
      since: since ?? undefined,
      root: root ?? undefined,
      limit: Math.min(limit ?? STANDARD, MOST),
    });
    if (told.kind === "problem") return told;
    const output = (await madeInTurns(call, (view) => changePieces(view, told))) as Output;
    return { kind: "answer", output, text: textOf(output) };
  },
});

/** The JSON of what is told, with an empty text wherever others may have their turn. */
function* changePieces(
  view: ScopedOutline,
  { changed: keys, removed, cursor, more }: ToldChanges,
): Generator<string> {
  const changed: object[] = [];
  for (const key of keys) {
    yield "";
    const node = lineOfNode(view, key);
    if (node !== undefined) changed.push(node);
  }
  yield JSON.stringify({ changed, removed, cursor, more });
}

function lineOfNode(view: ScopedOutline, key: NodeKey): Output["changed"][number] | undefined {
  const { outline } = view;
  const shape = view.reaches(key) ? view.shape(key) : undefined;
  if (shape === undefined) return undefined;
  const parent = view.parentOf(key);
  const said = saidOf(outline, shape);
  return {
    id: key,
    in: parent === undefined || parent === ROOT ? null : parent,
    ...(view.heldBy(key) === undefined ? { ...said, text: "" } : said),
  };
}

function textOf({ changed, removed, cursor, more }: Output): string {
  const lines = changed.map(
    ({ id, in: parent, text, completed }) =>
      `- ${completed ? "[x] " : ""}${text} ^${id}${parent === null ? "" : ` (in ^${parent})`}\n`,
  );
  if (removed.length > 0) lines.push(`Removed: ${removed.map((id) => `^${id}`).join(" ")}\n`);
  if (lines.length === 0) lines.push("(nothing has changed)\n");
  return `${lines.join("")}(${more ? "there is more; " : ""}go on with since ${cursor})\n`;
}
