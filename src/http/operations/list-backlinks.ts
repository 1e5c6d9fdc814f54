import { z } from "zod";
import type { NodeKey } from "../../core/node-key.ts";
import type { SearchTexts } from "../../documents/memory/search-texts.ts";
import { named, NODE, NODE_REFERENCE } from "../api-schemas.ts";
import { separated } from "../answer/list-stream.ts";
import { defineOperation } from "../operation.ts";
import { NO_SUCH_NODE } from "../problem.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { reading, streamingPieces } from "../service.ts";

const AROUND = [`{"backlinks":[`, "]}"] as const;

export const listBacklinks = defineOperation({
  id: "listBacklinks",
  method: "GET",
  path: "/api/v1/nodes/:id/backlinks",
  tag: "Nodes",
  summary: "List what links to a node",
  description:
    'Answers the nodes whose name or note has a link to the node (`<a href="#/…">` with its short id), ' +
    "in document order. A limited key gets those that it reaches.",
  needs: { write: false, wholeOutline: false },
  parameter: { name: "id", schema: NODE_REFERENCE },
  answer: named("Backlinks", z.strictObject({ backlinks: z.array(NODE) })),
  problems: ["not_found"],
  async run({ principal, caller, id }, service) {
    const key = await reading(service, caller, (view) => view.node(id) ?? NO_SUCH_NODE);
    if (typeof key !== "string") return key;
    const { searchTexts } = service.documents;
    return streamingPieces(service, principal, AROUND, (view) => piecesOf(view, key, searchTexts));
  },
});

/** Empty ones while links are looked for. */
function* piecesOf(view: ScopedOutline, key: NodeKey, texts: SearchTexts): Generator<string> {
  const { links } = texts.of(view.outline);
  for (const _ of links.build()) yield "";
  const work = links.backlinksOf(key);
  let step = work.next();
  for (; step.done !== true; step = work.next()) yield "";
  texts.settle();
  // Others have had their turn meanwhile.
  yield* separated(view.those(step.value));
}
