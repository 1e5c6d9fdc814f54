import { z } from "zod";
import { named, NODE, NODE_REFERENCE } from "../api-schemas.ts";
import { defineOperation } from "../operation.ts";
import { NO_SUCH_NODE } from "../problem.ts";
import { reading } from "../service.ts";

export const retrieveNode = defineOperation({
  id: "retrieveNode",
  method: "GET",
  path: "/api/v1/nodes/:id",
  tag: "Nodes",
  summary: "Retrieve a node",
  description: "Answers the node. Inbox and calendar nodes that are missing are not made.",
  needs: { write: false, wholeOutline: false },
  parameter: { name: "id", schema: NODE_REFERENCE },
  answer: named("RetrievedNode", z.strictObject({ node: NODE })),
  problems: ["not_found"],
  run({ principal, id }, service) {
    return reading(service, principal, (view) => {
      const key = view.node(id);
      const node = key === undefined ? undefined : view.show(key);
      return node === undefined ? NO_SUCH_NODE : `{"node":${node}}`;
    });
  },
});
