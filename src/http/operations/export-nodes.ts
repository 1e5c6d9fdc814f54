import type { Readable } from "node:stream";
import type { Principal } from "../../accounts/accounts.ts";
import type { OutlineDocument } from "../../documents/outline-document.ts";
import { NODE_LIST } from "../api-schemas.ts";
import { exportStream } from "../export-stream.ts";
import { defineOperation } from "../operation.ts";
import { OutlineView } from "../outline-view.ts";
import { NO_SUCH_NODE, problem, type Problem } from "../problem.ts";
import type { Service } from "../service.ts";

export const exportNodes = defineOperation({
  id: "exportNodes",
  method: "GET",
  path: "/api/v1/nodes-export",
  tag: "Nodes",
  summary: "Export all nodes",
  description:
    "Answers every node in document order: depth first, siblings by `priority`. Each user may " +
    "export once a minute, unless the server is set otherwise.",
  needs: { write: false, wholeOutline: false },
  answer: NODE_LIST,
  problems: ["rate_limited"],
  async run({ principal, headersOnly }, service) {
    if (headersOnly) return "";
    const { document, release } = await service.documents.open(principal.outline);
    const stream = await startExport(document, principal, service).catch((error: unknown) => {
      release();
      throw error;
    });
    if ("kind" in stream) release();
    // The document stays open until the stream is read to its end, fails, or is left.
    else stream.once("close", release);
    return stream;
  },
});

async function startExport(
  document: OutlineDocument,
  { root, user, keyId }: Principal,
  { limits, servedNames, now, takeToken }: Service,
): Promise<Readable | Problem> {
  const view = new OutlineView(document.outline, root, now);
  const isThere = await document.read(() => view.place("root") !== undefined);
  if (!isThere) return NO_SUCH_NODE;
  if (limits.exportLimitMs > 0) {
    const waitMs = await takeToken(`export/${user}`, limits.exportLimitMs);
    if (waitMs > 0) return problem("rate_limited", "Exports are limited; wait a little.", waitMs);
  }
  return exportStream(document, view, ({ key, name }) => servedNames.remember(keyId, key, name));
}
