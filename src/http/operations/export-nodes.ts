import { Readable } from "node:stream";
import { z } from "zod";
import { ROOT } from "../../core/node-key.ts";
import { NODE_LIST, PARENT_REFERENCE } from "../api-schemas.ts";
import { defineOperation } from "../operation.ts";
import { NO_SUCH_NODE, problem } from "../problem.ts";
import { reading, streaming } from "../service.ts";

export const exportNodes = defineOperation({
  id: "exportNodes",
  method: "GET",
  path: "/api/v1/nodes-export",
  tag: "Nodes",
  summary: "Export all nodes, or those of a part",
  description:
    "Answers every node in document order: depth first, siblings by `priority`. A key, with all that " +
    "were made with it, may export all of it once a minute, unless the server is set otherwise. A part " +
    "of it, with `root`, may be exported at any time.",
  needs: { write: false, wholeOutline: false },
  query: z.object({
    root: PARENT_REFERENCE.optional().meta({
      description: "Only this node and what is below it; all that the key reaches when left out.",
    }),
  }),
  answer: NODE_LIST,
  problems: ["not_found", "rate_limited"],
  async run({ principal, reader, query, headersOnly }, service) {
    const from = await reading(service, reader, (view) => view.place(query.root));
    if (from === undefined) return NO_SUCH_NODE;
    if (headersOnly) return Readable.from([]);
    if (from === (principal.root ?? ROOT)) {
      const waitMs = await service.exports.take(principal);
      if (waitMs > 0) return problem("rate_limited", "Exports are limited; wait a little.", waitMs);
    }
    return streaming(service, principal, "nodes", (view) => view.allInTurn(from));
  },
});
