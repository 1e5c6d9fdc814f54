import { z } from "zod";
import { DONE, named, NODE_REFERENCE, PARENT_REFERENCE } from "../api-schemas.ts";
import { destinationOf } from "../destination-of.ts";
import { defineOperation } from "../operation.ts";
import { PLACE } from "../place-schema.ts";
import { changingNode } from "./changing-node.ts";

const BODY = named(
  "MoveNode",
  z.object({ parent_id: PARENT_REFERENCE.nullish(), position: PLACE.nullish() }),
);

export const moveNode = defineOperation({
  id: "moveNode",
  method: "POST",
  path: "/api/v1/nodes/:id/move",
  tag: "Nodes",
  summary: "Move a node",
  description:
    "Gives the node, with everything below it, another parent or another place. A missing inbox " +
    "or calendar node that is named as the parent is made.",
  needs: { write: true, wholeOutline: false },
  parameter: { name: "id", schema: NODE_REFERENCE },
  comparesNode: true,
  body: BODY,
  answer: DONE,
  example: { parent_id: "tomorrow", position: "bottom" },
  problems: ["invalid_parent", "not_found", "outline_full"],
  run: (call, service) =>
    changingNode(service, call, (view, key) => {
      const to = destinationOf(view, call.body.parent_id, call.body.position);
      // A limited key's own root can't be moved: every place it reaches is in that root.
      return "kind" in to ? to : view.outline.move(key, to);
    }),
});
