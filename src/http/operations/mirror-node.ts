import { z } from "zod";
import type { NodeKey } from "../../core/node-key.ts";
import { DONE, named, NODE_ID, NODE_REFERENCE } from "../api-schemas.ts";
import { mirrorPlaceOf } from "../destination-of.ts";
import { defineOperation } from "../operation.ts";
import { PLACE } from "../place-schema.ts";
import { NO_MIRROR, NO_SUCH_NODE } from "../problem.ts";
import { problemOfRefusal } from "../problem-of-refusal.ts";
import { writing } from "../service.ts";
import { changingNode } from "./changing-node.ts";

const BODY = named(
  "MirrorNode",
  z.object({
    parent_id: NODE_REFERENCE.nullish().meta({
      description: "The node to put it into, which is there.",
    }),
    position: PLACE.nullish(),
  }),
);

export const mirrorNode = defineOperation({
  id: "mirrorNode",
  method: "POST",
  path: "/api/v1/nodes/:id/mirror",
  tag: "Nodes",
  summary: "Mirror a node",
  description:
    "Makes a mirror of the node, or of the one that it is itself a mirror of: the same line in another " +
    "place, with the same children, changed in either. It goes when its origin is deleted.",
  needs: { write: true, wholeOutline: false },
  parameter: { name: "id", schema: NODE_REFERENCE },
  body: BODY,
  answer: named("MirroredNode", z.strictObject({ item_id: NODE_ID, origin_id: NODE_ID })),
  example: { parent_id: "8b1e42d07a9f", position: "bottom" },
  problems: ["invalid_parent", "not_found", "outline_full"],
  async run({ caller, id, body }, service) {
    return writing(service, caller, (view) => {
      const shown = view.node(id);
      const key = shown && view.heldBy(shown);
      if (key === undefined) return NO_SUCH_NODE;
      const heldBy = (each: NodeKey): NodeKey | undefined => view.heldBy(each);
      const to = mirrorPlaceOf(view, heldBy, body.parent_id, body.position);
      if ("kind" in to) return to;
      const result = view.outline.mirror(key, to);
      return result.kind === "created"
        ? JSON.stringify({ item_id: view.id(result.key), origin_id: view.id(result.origin) })
        : problemOfRefusal(result);
    });
  },
});

export const removeMirror = defineOperation({
  id: "removeMirror",
  method: "DELETE",
  path: "/api/v1/nodes/:id/mirror",
  tag: "Nodes",
  summary: "Remove a mirror",
  description: "Takes a mirror away. Its origin stays, with everything below it.",
  needs: { write: true, wholeOutline: false },
  parameter: { name: "id", schema: NODE_REFERENCE },
  answer: DONE,
  problems: ["not_found"],
  run: (call, service) =>
    changingNode(service, call, ({ outline }, key) =>
      outline.heldBy(key) === key ? NO_MIRROR : outline.remove(key),
    ),
});
