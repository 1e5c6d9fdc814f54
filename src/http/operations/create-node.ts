import { z } from "zod";
import { ADDED_CHAIN, addedNodes, sumOf } from "../../core/room/addition.ts";
import type { NodeKey } from "../../core/node-key.ts";
import { countOfDrafts } from "../../core/text/name.ts";
import { excessOfName, excessOfNote } from "../../core/text/text-excess.ts";
import { WANTED_LAYOUT, named, NODE_ID, PARENT_REFERENCE } from "../api-schemas.ts";
import { destinationOf } from "../destination-of.ts";
import { plant } from "../edits/edit-step.ts";
import { defineOperation, type Answer } from "../operation.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { PLACE } from "../place-schema.ts";
import type { Problem } from "../problem.ts";
import { problemOfRefusal } from "../problem-of-refusal.ts";
import { writing, writingInSlices } from "../service.ts";
import { excessProblem, hasLongText, textSizeProblem } from "../text-size.ts";

const BODY = named(
  "CreateNode",
  z.object({
    parent_id: PARENT_REFERENCE.nullish(),
    name: z.string().meta({
      description: "Text with markdown. Each part after a blank line becomes a child.",
    }),
    layoutMode: WANTED_LAYOUT.nullish(),
    note: z.string().nullish().meta({ description: "HTML with line breaks, no markdown." }),
    position: PLACE.nullish(),
    completed: z.boolean().nullish().meta({ description: "Beats the prefix of `name`." }),
  }),
);

type CreateBody = z.infer<typeof BODY>;

const ANSWER = named("CreatedNode", z.strictObject({ item_id: NODE_ID }));

export const createNode = defineOperation({
  id: "createNode",
  method: "POST",
  path: "/api/v1/nodes",
  tag: "Nodes",
  summary: "Create a node",
  description:
    "Makes a node, and a child of it for each further part of `name`. A missing inbox or calendar " +
    "node that is named as the parent is made too.",
  needs: { write: true, wholeOutline: false },
  body: BODY,
  takesTexts: true,
  answer: ANSWER,
  example: { parent_id: "inbox", name: "- [ ] Buy **milk** [2026-08-01]" },
  problems: ["not_found", "too_large", "outline_full"],
  run({ caller, body }, service) {
    const tooLarge = textSizeProblem(body, service.limits.textBytes) ?? excessOf(body);
    if (tooLarge !== undefined) return tooLarge;
    return hasLongText(body)
      ? writingInSlices(service, caller, (view) => createLong(view, body))
      : writing(service, caller, (view) => create(view, body));
  },
});

function excessOf({ name, note, layoutMode }: CreateBody): Problem | undefined {
  return (
    excessProblem("name", excessOfName(name, layoutMode === "code-block")) ??
    excessProblem("note", excessOfNote(note ?? ""))
  );
}

function create(view: ScopedOutline, body: CreateBody): Answer {
  const to = destinationOf(view, body.parent_id, body.position);
  if ("kind" in to) return to;
  const result = view.outline.create({
    ...to,
    name: body.name,
    note: body.note,
    layout: body.layoutMode ?? undefined,
    completed: body.completed ?? undefined,
  });
  return result.kind === "created" ? createdAnswer(view, result.key) : problemOfRefusal(result);
}

/** Does the same node by node: a name of many lines may make hundreds of thousands. */
function* createLong(view: ScopedOutline, body: CreateBody): Generator<void, Answer> {
  const to = destinationOf(view, body.parent_id, body.position);
  if ("kind" in to) return to;
  const { name, note } = body;
  const layout = body.layoutMode ?? undefined;
  const completed = body.completed ?? undefined;
  const added = sumOf(addedNodes(countOfDrafts(name, layout), name, note ?? ""), ADDED_CHAIN);
  const full = view.outline.quota.take(added, to.parent);
  if (full !== undefined) return problemOfRefusal(full);
  yield;
  const item = { depth: 0, name, note, layout, completed, isInParts: true };
  const [key] = (yield* plant(view.outline, to, [item])).tops;
  if (key === undefined) throw new Error("a name makes a node");
  return createdAnswer(view, key);
}

function createdAnswer(view: ScopedOutline, key: NodeKey): string {
  return `{"item_id":"${view.id(key)}"}`;
}
