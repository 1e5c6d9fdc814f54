import { z } from "zod";
import { LAYOUT_MODE, named, NODE_ID, PARENT_REFERENCE, POSITION } from "../api-schemas.ts";
import { defineOperation } from "../operation.ts";
import { NO_SUCH_PARENT } from "../problem.ts";
import { problemOfRefusal } from "../problem-of-refusal.ts";
import { writing } from "../service.ts";
import { textSizeProblem } from "../text-size.ts";

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
  async run({ principal, body }, service) {
    const tooLarge = textSizeProblem(body, service.limits.textBytes);
    if (tooLarge !== undefined) return tooLarge;
    return writing(service, principal, (view) => {
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
      if (result.kind !== "created") return problemOfRefusal(result);
      return `{"item_id":"${view.id(result.key)}"}`;
    });
  },
});
