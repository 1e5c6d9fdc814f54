import { z } from "zod";
import { DONE, named, NODE_REFERENCE, PARENT_REFERENCE } from "../api-schemas.ts";
import { destinationOf } from "../destination-of.ts";
import { staleProblem } from "../entity-tag.ts";
import { defineOperation, DONE_ANSWER } from "../operation.ts";
import { PLACE } from "../place-schema.ts";
import { NO_SUCH_NODE } from "../problem.ts";
import { problemOfRefusal } from "../problem-of-refusal.ts";
import { writing } from "../service.ts";

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
  async run({ caller, id, ifMatch, body }, service) {
    return writing(service, caller, (view) => {
      const key = view.node(id);
      if (key === undefined) return NO_SUCH_NODE;
      const stale = staleProblem(view, key, ifMatch);
      if (stale !== undefined) return stale;
      const to = destinationOf(view, body.parent_id, body.position);
      if ("kind" in to) return to;
      // A limited key's own root can't be moved: every place it reaches is in that root.
      const result = view.outline.move(key, to);
      return result.kind === "ok" ? DONE_ANSWER : problemOfRefusal(result);
    });
  },
});
