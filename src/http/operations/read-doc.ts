import { z } from "zod";
import { named, PARENT_REFERENCE } from "../api-schemas.ts";
import { docPieces } from "../llm-doc/doc-pieces.ts";
import { bareReference } from "../llm-doc/doc-schemas.ts";
import { defineOperation } from "../operation.ts";
import { NO_SUCH_NODE } from "../problem.ts";
import { reading, streamingPieces } from "../service.ts";

const STANDARD_DEPTH = 3;

const DEPTH = z
  .string()
  .regex(/^[0-9]+$/, "expected a whole number from 0 on")
  .transform(Number)
  .meta({ description: `How many levels below the node; ${STANDARD_DEPTH} when left out.` });

const DOC = named(
  "DocNode",
  z.looseObject({}).meta({
    description:
      "A node for language models. The first key is its short id, and the value its name as HTML. " +
      "`d` is the note, `l` the layout unless it is bullets (`code` and `quote` are the API's " +
      "`code-block` and `quote-block`), `x` is 1 when it is completed, `c` are its children in the same " +
      "form, `+` is 1 when it has children that are too deep to be shown. `ancestors`, of the outermost " +
      "node alone, are what it is in, from the top level on, which is `None`.",
    examples: [
      {
        "8b1e42d07a9f": "Buy <b>milk</b>",
        ancestors: [{ None: "Home" }],
        l: "todo",
        c: [{ "1d9a4c0b7e52": "oat", x: 1 }],
      },
    ],
  }),
);

export const readDoc = defineOperation({
  id: "readDoc",
  method: "GET",
  path: "/api/llm/doc/read/:id",
  tag: "Nodes",
  summary: "Read a node with what is below it, for language models",
  description:
    "Answers a node and some levels below it in few characters. A day, a month or a year that is not " +
    "there yet is answered as it will be, and is not made.",
  needs: { write: false, wholeOutline: false },
  parameter: { name: "id", schema: PARENT_REFERENCE },
  query: z.object({ depth: DEPTH.optional() }),
  answer: DOC,
  problems: ["not_found"],
  async run({ principal, caller, id, query }, service) {
    const reference = bareReference(id);
    const place = await reading(service, caller, (view) => {
      const node = view.node(reference);
      if (node !== undefined) return node;
      const destination = view.destination(reference);
      return destination === view.top ? "top" : (destination ?? NO_SUCH_NODE);
    });
    if (typeof place !== "string") return place;
    const depth = query.depth ?? STANDARD_DEPTH;
    return streamingPieces(service, principal, ["", ""], (view) => docPieces(view, place, depth));
  },
});
