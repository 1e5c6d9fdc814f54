import { z } from "zod";
import { type NodeKey, ROOT } from "../../core/node-key.ts";
import { beginningOf } from "../../core/text/beginning-of.ts";
import { plainText } from "../../core/text/rich-text.ts";
import { exportedPieces, type FileFormat } from "../../formats/exported-pieces.ts";
import { FILE_TYPES, fileNameOf, OUTLINE_FORMATS } from "../../formats/outline-format.ts";
import { NODE_LIST, PARENT_REFERENCE } from "../api-schemas.ts";
import { defineOperation } from "../operation.ts";
import { NO_SUCH_NODE, problem } from "../problem.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { reading, streaming, streamingPieces } from "../service.ts";

/** Characters of a name that a file has for its title. */
const LONGEST_TITLE = 200;

export const exportNodes = defineOperation({
  id: "exportNodes",
  method: "GET",
  path: "/api/v1/nodes-export",
  tag: "Nodes",
  summary: "Export all nodes, or those of a part",
  description:
    "Answers every node in document order: depth first, siblings by `priority`. A key, with all that " +
    "were made with it, may export all of it once a minute, unless the server is set otherwise. A part " +
    "of it, with `root`, may be exported at any time. With a `format` other than `json` the answer is a " +
    "file, as the app and the command write it: `opml` keeps all there is, `markdown` and `text` what " +
    "these can hold.",
  needs: { write: false, wholeOutline: false },
  query: z.object({
    root: PARENT_REFERENCE.optional().meta({
      description: "Only this node and what is below it; all that the key reaches when left out.",
    }),
    format: z
      .enum(OUTLINE_FORMATS)
      .optional()
      .meta({ description: "What the answer is: `json` when left out." }),
  }),
  answer: NODE_LIST,
  fileTypes: OUTLINE_FORMATS.filter((format) => format !== "json").map(contentTypeOf),
  problems: ["not_found", "rate_limited"],
  async run({ principal, caller, query, headersOnly }, service) {
    const { root, format = "json" } = query;
    const found = await reading(service, caller, (view) => {
      const from = view.place(root);
      return from === undefined ? undefined : { from, title: titleIn(view, from) };
    });
    if (found === undefined) return NO_SUCH_NODE;
    const { from } = found;
    if (!headersOnly && from === (principal.root ?? ROOT)) {
      const waitMs = await service.exports.take(principal);
      if (waitMs > 0) return problem("rate_limited", "Exports are limited; wait a little.", waitMs);
    }
    if (format === "json") {
      return streaming(service, principal, "nodes", (view) => view.allInTurn(from));
    }
    const title = found.title ?? principal.user;
    const content = await streamingPieces(service, principal, ["", ""], (view) =>
      exportedPieces(view.entries, format, { from, title }),
    );
    const contentType = contentTypeOf(format);
    return { kind: "file", content, contentType, fileName: fileNameOf(title, format) };
  },
});

function contentTypeOf(format: FileFormat): string {
  return `${FILE_TYPES[format].type}; charset=utf-8`;
}

/** What a node is called, as plain text; undefined for the top level. */
function titleIn({ outline }: ScopedOutline, key: NodeKey): string | undefined {
  if (key === ROOT) return undefined;
  return beginningOf(plainText(outline.richText(key, "name")).trim(), LONGEST_TITLE);
}
