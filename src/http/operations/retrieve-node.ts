import { Readable } from "node:stream";
import { z } from "zod";
import type { NodeKey } from "../../core/node-key.ts";
import { named, NODE, NODE_REFERENCE } from "../api-schemas.ts";
import { type Answer, defineOperation } from "../operation.ts";
import { NO_SUCH_NODE, ProblemError } from "../problem.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { reading, streamingPieces } from "../service.ts";

const AROUND = [`{"node":`, "}"] as const;

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
  run({ principal, id, headersOnly }, service) {
    const found = reading(service, principal, (view) => {
      const key = view.node(id);
      if (key !== undefined && view.isLong(key)) return { kind: "long" as const, key };
      const node = key === undefined ? undefined : view.show(key);
      return node === undefined ? NO_SUCH_NODE : `{"node":${node}}`;
    });
    const answer = (node: Awaited<typeof found>): Answer | Promise<Answer> => {
      if (typeof node === "string" || node.kind === "problem") return node;
      if (headersOnly) return Readable.from([]);
      const { key } = node;
      return streamingPieces(service, principal, AROUND, (view) => piecesOf(view, key));
    };
    return found instanceof Promise ? found.then(answer) : answer(found);
  },
});

function* piecesOf(view: ScopedOutline, key: NodeKey): Generator<string> {
  const pieces = view.showInPieces(key);
  if (pieces === undefined) throw new ProblemError(NO_SUCH_NODE);
  yield* pieces;
}
