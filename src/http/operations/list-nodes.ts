import { Readable } from "node:stream";
import { z } from "zod";
import type { NodeKey } from "../../core/node-key.ts";
import { NODE_LIST, PARENT_REFERENCE } from "../api-schemas.ts";
import { defineOperation } from "../operation.ts";
import type { OutlineView } from "../outline-view.ts";
import { NO_SUCH_PARENT } from "../problem.ts";
import type { ServedNames } from "../served-names.ts";
import { reading, streaming } from "../service.ts";

/** More children than this are answered as a stream, which lets others have their turn. */
const MANY_CHILDREN = 1000;

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
  async run({ principal, query, headersOnly }, service) {
    const found = await reading(service, principal, (view) => {
      const parent = view.place(query.parent_id);
      if (parent === undefined) return NO_SUCH_PARENT;
      return view.outline.childCount(parent) > MANY_CHILDREN
        ? { kind: "many" as const, parent }
        : listOf(view, parent, service.servedNames, principal.keyId);
    });
    if (typeof found === "string" || found.kind === "problem") return found;
    if (headersOnly) return Readable.from([]);
    return streaming(service, principal, (view) => view.children(found.parent));
  },
});

function listOf(view: OutlineView, parent: NodeKey, names: ServedNames, keyId: string): string {
  let nodes = "";
  for (const node of view.outline.children(parent)) {
    names.remember(keyId, node.key, node.name);
    nodes += nodes === "" ? view.present(node) : `,${view.present(node)}`;
  }
  return `{"nodes":[${nodes}]}`;
}
