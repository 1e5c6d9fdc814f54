import { z } from "zod";
import type { NodeKey } from "../../core/node-key.ts";
import { named, NODE, NODE_REFERENCE } from "../api-schemas.ts";
import { answerOf, withTag } from "../answer/entity-tag.ts";
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
  description:
    "Answers the node. Inbox and calendar nodes that are missing are not made. An answer of up to 16 KiB has " +
    "an `ETag`: with that as `If-None-Match` it is 304 without a body as long as nothing of it changes, and " +
    "with that as `If-Match` a node is changed, moved or deleted only as it was read.",
  needs: { write: false, wholeOutline: false },
  parameter: { name: "id", schema: NODE_REFERENCE },
  hasTag: true,
  answer: named("RetrievedNode", z.strictObject({ node: NODE })),
  problems: ["not_found"],
  run({ principal, caller, id }, service) {
    const found = reading(service, caller, (view) => {
      const key = view.node(id);
      if (key !== undefined && view.isLong(key)) return { kind: "long" as const, key };
      const text = key === undefined ? undefined : answerOf(view, key);
      return text === undefined ? NO_SUCH_NODE : { kind: "text" as const, text };
    });
    const answer = (node: Awaited<typeof found>): Answer | Promise<Answer> => {
      if (node.kind === "problem") return node;
      if (node.kind === "text") return withTag(node.text);
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
