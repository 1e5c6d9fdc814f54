import { DONE, NODE_REFERENCE } from "../api-schemas.ts";
import { defineOperation } from "../operation.ts";
import { OWN_ROOT } from "../problem.ts";
import { changingNode } from "./changing-node.ts";

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
  run: (call, service) =>
    changingNode(service, call, (view, key) =>
      key === view.top ? OWN_ROOT : view.outline.remove(key),
    ),
});
