import { z } from "zod";
import type { NodeKey } from "../../core/node-key.ts";
import { draftsInTurn } from "../../core/text/name.ts";
import { richTextOfNote } from "../../core/text/note.ts";
import { excessOfName, excessOfNote } from "../../core/text/text-limits.ts";
import { LAYOUT_MODE, named, NODE_ID, PARENT_REFERENCE, POSITION } from "../api-schemas.ts";
import { defineOperation, type Answer } from "../operation.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { NO_SUCH_PARENT } from "../problem.ts";
import { problemOfRefusal } from "../problem-of-refusal.ts";
import { writing, writingInSlices } from "../service.ts";
import { excessProblem, textSizeProblem } from "../text-size.ts";

const BODY = named(
  "CreateNode",
  z.object({
    parent_id: PARENT_REFERENCE.nullish(),
    name: z.string().meta({
      description: "Text with markdown. Each part after a blank line becomes a child.",
    }),
    layoutMode: LAYOUT_MODE.nullish(),
    note: z.string().nullish().meta({ description: "HTML with line breaks, no markdown." }),
    position: POSITION.nullish(),
    completed: z.boolean().nullish().meta({ description: "Beats the prefix of `name`." }),
  }),
);

type CreateBody = z.infer<typeof BODY>;

/** In characters. What is shorter is done in one go, within a few milliseconds. */
const LONG_NAME = 16 * 1024;

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
  answer: ANSWER,
  example: { parent_id: "inbox", name: "- [ ] Buy **milk** [2026-08-01]" },
  problems: ["not_found", "too_large"],
  run({ principal, body }, service) {
    const isCode = body.layoutMode === "code-block";
    const tooLarge =
      textSizeProblem(body, service.limits.textBytes) ??
      excessProblem("name", excessOfName(body.name, isCode)) ??
      excessProblem("note", excessOfNote(body.note ?? ""));
    if (tooLarge !== undefined) return tooLarge;
    return body.name.length > LONG_NAME
      ? writingInSlices(service, principal, (view) => createLong(view, body, service.now()))
      : writing(service, principal, (view) => create(view, body));
  },
});

function create(view: ScopedOutline, body: CreateBody): Answer {
  const parent = view.destination(body.parent_id);
  if (parent === undefined) return NO_SUCH_PARENT;
  const result = view.outline.create({
    parent,
    name: body.name,
    note: body.note,
    layout: body.layoutMode ?? undefined,
    position: body.position ?? undefined,
    completed: body.completed ?? undefined,
  });
  return result.kind === "created" ? createdAnswer(view, result.key) : problemOfRefusal(result);
}

/** Does the same node by node: a name of many lines may make hundreds of thousands. */
function* createLong(
  view: ScopedOutline,
  body: CreateBody,
  nowMs: number,
): Generator<void, Answer> {
  const parent = view.destination(body.parent_id);
  if (parent === undefined) return NO_SUCH_PARENT;
  const completedAt = (done: boolean | undefined): number | null =>
    done === true ? Math.floor(nowMs / 1000) : null;
  const { first, others } = draftsInTurn(body.name, body.layoutMode ?? undefined);
  yield;
  const key = view.outline.createPlain({
    parent,
    name: first.text,
    note: richTextOfNote(body.note ?? ""),
    layout: body.layoutMode ?? first.layout,
    position: body.position ?? undefined,
    completedAt: completedAt(body.completed ?? first.completed),
  });
  for (const { text, layout, completed } of others) {
    yield;
    view.outline.createPlain({
      parent: key,
      name: text,
      layout,
      position: "bottom",
      completedAt: completedAt(completed),
    });
  }
  return createdAnswer(view, key);
}

function createdAnswer(view: ScopedOutline, key: NodeKey): string {
  return `{"item_id":"${view.id(key)}"}`;
}
