import { z } from "zod";
import { inOneGo } from "../../core/in-one-go.ts";
import { isReservedKey, type NodeKey } from "../../core/node-key.ts";
import type { OutlineNode } from "../../core/node-reader.ts";
import { parsedInSteps, type ParsedName } from "../../core/node-patch.ts";
import { excessOfNote, excessOfUpdatedName } from "../../core/text/text-limits.ts";
import { DONE, LAYOUT_MODE, named, NODE_REFERENCE } from "../api-schemas.ts";
import { given } from "../given.ts";
import { defineOperation, DONE_ANSWER } from "../operation.ts";
import { NO_SUCH_NODE, type Problem } from "../problem.ts";
import { problemOfRefusal } from "../problem-of-refusal.ts";
import type { KeyOfUser, KnownName, ServedNames } from "../served-names.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { writing, writingInSlices } from "../service.ts";
import { excessProblem, hasLongText, textSizeProblem } from "../text-size.ts";

const BODY = named(
  "UpdateNode",
  z.object({
    name: z.string().nullish().meta({ description: "Text with markdown, on one line." }),
    layoutMode: LAYOUT_MODE.nullish(),
    note: z.string().nullish().meta({ description: 'Cleared by `""` and `null`.' }),
    completed: z.boolean().nullish().meta({ description: "Beats the prefix of `name`." }),
  }),
);

type UpdateBody = z.infer<typeof BODY>;

export const updateNode = defineOperation({
  id: "updateNode",
  method: "POST",
  path: "/api/v1/nodes/:id",
  tag: "Nodes",
  summary: "Update a node",
  description:
    "Changes what is given and leaves the rest. A new `name` is merged: what others typed since " +
    "this key last read the node stays in its place.",
  needs: { write: true, wholeOutline: false },
  parameter: { name: "id", schema: NODE_REFERENCE },
  body: BODY,
  takesTexts: true,
  answer: DONE,
  example: { name: "Buy *oat* milk" },
  problems: ["not_found", "too_large", "outline_full"],
  async run({ principal, id, body }, service) {
    const { servedNames, limits } = service;
    const tooLarge = textSizeProblem(body, limits.textBytes);
    if (tooLarge !== undefined) return tooLarge;
    const call = { id, body, principal, servedNames };
    const result = hasLongText(body)
      ? await writingInSlices(service, principal, (view) => update(view, call))
      : await writing(service, principal, (view) => inOneGo(update(view, call)));
    if (result.kind === "problem") return result;
    const { key, written } = result;
    // Only now: the caller knows of the new name when it is durable.
    if (written !== undefined) servedNames.remember(principal, key, written, false);
    return DONE_ANSWER;
  },
});

interface UpdateCall {
  readonly id: string;
  readonly body: UpdateBody;
  readonly principal: KeyOfUser;
  readonly servedNames: ServedNames;
}

interface Updated {
  readonly kind: "updated";
  readonly key: NodeKey;
  /** The name as the caller knows it from now on, unless that is what it was served. */
  readonly written: string | undefined;
}

/** Updates a node with a rest after each step that takes long when texts are long. */
function* update(
  view: ScopedOutline,
  { id, body, principal, servedNames }: UpdateCall,
): Generator<void, Updated | Problem> {
  const noteExcess = excessProblem("note", excessOfNote(body.note ?? ""));
  if (noteExcess !== undefined) return noteExcess;
  yield;
  const key = view.node(id);
  const before = key === undefined ? undefined : view.outline.node(key);
  if (key === undefined || before === undefined) return NO_SUCH_NODE;
  yield;
  const isCode = (body.layoutMode ?? before.layout) === "code-block";
  const excess = excessProblem("name", excessOfUpdatedName(body.name ?? "", isCode));
  if (excess !== undefined) return excess;
  yield;
  const known = knownName(servedNames, principal, key);
  const parsed = yield* parsedName(body, before);
  const sent = parsed?.html ?? body.name ?? undefined;
  const isKnown = known !== undefined && (sent === known.name || body.name === known.name);
  // A program that sends back the name it was served has not changed it; one that repeats what it
  // has written itself wants that, whatever others have made of it.
  const name = known?.isServed === true && body.name === known.name ? undefined : body.name;
  const base = isKnown && !known.isServed ? undefined : known?.name;
  const { layoutMode: layout, note, completed } = body;
  const updated = yield* view.outline.updateInSteps(key, {
    ...given({ name, layout, completed, base, parsed }),
    ...(note === undefined ? undefined : { note }),
  });
  if (updated.kind !== "ok") return problemOfRefusal(updated);
  return { kind: "updated", key, written: isKnown && known.isServed ? undefined : sent };
}

/**
 * The name that the caller started from, when it is known. A system node that was deleted comes back
 * under the same key with a name that has nothing to do with the earlier one, so these have none.
 */
function knownName(names: ServedNames, principal: KeyOfUser, node: NodeKey): KnownName | undefined {
  return isReservedKey(node) ? undefined : names.get(principal, node);
}

/** What the caller wrote, without what others typed meanwhile; undefined for the name as it is. */
function* parsedName(
  { name, layoutMode }: UpdateBody,
  before: OutlineNode,
): Generator<void, ParsedName | undefined> {
  if (name === undefined || name === null || name === before.name) return undefined;
  return yield* parsedInSteps(name, before.layout, layoutMode ?? undefined);
}
