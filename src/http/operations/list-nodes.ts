import { z } from "zod";
import { NODE_LIST, PARENT_REFERENCE } from "../api-schemas.ts";
import { defineOperation } from "../operation.ts";
import { NO_SUCH_PARENT } from "../problem.ts";
import { reading } from "../service.ts";

export const listNodes = defineOperation({
  id: "listNodes",
  method: "GET",
  path: "/api/v1/nodes",
  tag: "Nodes",
  summary: "List the children of a node",
  description: "Answers the children of a node, ordered by `priority`, without their children.",
  needs: { write: false, wholeOutline: false },
  query: z.object({ parent_id: PARENT_REFERENCE.optional() }),
  answer: NODE_LIST,
  problems: ["not_found"],
  async run({ principal, query }, service) {
    return reading(service, principal, (view) => {
      const parent = view.place(query.parent_id);
      if (parent === undefined) return NO_SUCH_PARENT;
      let nodes = "";
      for (const node of view.outline.children(parent)) {
        service.servedNames.remember(principal.keyId, node.key, node.name);
        nodes += nodes === "" ? view.present(node) : `,${view.present(node)}`;
      }
      return `{"nodes":[${nodes}]}`;
    });
  },
});
