import { DONE, NODE_REFERENCE } from "../api-schemas.ts";
import { staleProblem } from "../entity-tag.ts";
import { defineOperation, DONE_ANSWER } from "../operation.ts";
import { NO_SUCH_NODE, OWN_ROOT } from "../problem.ts";
import { problemOfRefusal } from "../problem-of-refusal.ts";
import { writing } from "../service.ts";

export const deleteNode = defineOperation({
  id: "deleteNode",
  method: "DELETE",
  path: "/api/v1/nodes/:id",
  tag: "Nodes",
  summary: "Delete a node",
  description: "Deletes the node and everything below it, for good.",
  needs: { write: true, wholeOutline: false },
  parameter: { name: "id", schema: NODE_REFERENCE },
  comparesNode: true,
  answer: DONE,
  problems: ["not_found"],
  async run({ caller, id, ifMatch }, service) {
    return writing(service, caller, (view) => {
      const key = view.node(id);
      if (key === undefined) return NO_SUCH_NODE;
      const stale = staleProblem(view, key, ifMatch);
      if (stale !== undefined) return stale;
      if (key === view.top) return OWN_ROOT;
      const result = view.outline.remove(key);
      return result.kind === "ok" ? DONE_ANSWER : problemOfRefusal(result);
    });
  },
});
