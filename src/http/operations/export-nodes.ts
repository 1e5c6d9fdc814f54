import { Readable } from "node:stream";
import { ROOT } from "../../core/node-key.ts";
import { NODE_LIST } from "../api-schemas.ts";
import { defineOperation } from "../operation.ts";
import { NO_SUCH_NODE, problem } from "../problem.ts";
import { reading, streaming } from "../service.ts";

export const exportNodes = defineOperation({
  id: "exportNodes",
  method: "GET",
  path: "/api/v1/nodes-export",
  tag: "Nodes",
  summary: "Export all nodes",
  description:
    "Answers every node in document order: depth first, siblings by `priority`. A key, with all that " +
    "were made with it, may export once a minute, unless the server is set otherwise.",
  needs: { write: false, wholeOutline: false },
  answer: NODE_LIST,
  problems: ["not_found", "rate_limited"],
  async run({ principal, headersOnly }, service) {
    const isThere = await reading(
      service,
      principal,
      ({ outline, top }) => top === ROOT || outline.has(top),
    );
    if (!isThere) return NO_SUCH_NODE;
    if (headersOnly) return Readable.from([]);
    const waitMs = await service.exports.take(principal);
    if (waitMs > 0) return problem("rate_limited", "Exports are limited; wait a little.", waitMs);
    return streaming(service, principal, "nodes", (view) => view.allInTurn());
  },
});
