import { z } from "zod";
import { NODE_LIST, PARENT_REFERENCE } from "../api-schemas.ts";
import { defineOperation, type Answer } from "../operation.ts";
import { withTag } from "../answer/entity-tag.ts";
import { NO_SUCH_PARENT } from "../problem.ts";
import { reading, streaming } from "../service.ts";

export const listNodes = defineOperation({
  id: "listNodes",
  method: "GET",
  path: "/api/v1/nodes",
  tag: "Nodes",
  summary: "List the children of a node",
  description:
    "Answers the children of a node, ordered by `priority`, without their children. An answer of up to " +
    "16 KiB has an `ETag`, as that of a node.",
  needs: { write: false, wholeOutline: false },
  query: z.object({ parent_id: PARENT_REFERENCE.optional() }),
  hasTag: true,
  answer: NODE_LIST,
  problems: ["not_found"],
  run({ principal, caller, query }, service) {
    const found = reading(service, caller, (view) => {
      const parent = view.place(query.parent_id);
      if (parent === undefined) return NO_SUCH_PARENT;
      const list = view.children(parent);
      return list === undefined ? { kind: "many" as const, parent } : `{"nodes":[${list}]}`;
    });
    const answer = (list: Awaited<typeof found>): Answer | Promise<Answer> => {
      if (typeof list === "string") return withTag(list);
      if (list.kind === "problem") return list;
      const { parent } = list;
      return streaming(service, principal, "nodes", (view) => view.childrenInTurn(parent));
    };
    return found instanceof Promise ? found.then(answer) : answer(found);
  },
});
