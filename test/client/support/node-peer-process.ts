import { open } from "../../../client/lib/node/open.ts";
import { ROOT } from "../../../src/core/node-key.ts";
import { OfflineEditor } from "./offline-editor.ts";
import type { PeerAnswer, PeerRequest, PeerStart } from "./node-peer.ts";

/*
 * A program of somebody else's that keeps a replica with the client library: a process of its own,
 * which does what its parent says.
 */

const [, , given = "{}"] = process.argv;
const { url, key, folder, seed } = JSON.parse(given) as PeerStart;
const replica = await open({ url, key, store: folder });
const editor = new OfflineEditor(replica, seed);

function sketch(): readonly string[] {
  const { outline } = replica;
  const lines: string[] = [];
  for (const key of outline.keysInOrder()) {
    const node = outline.node(key);
    if (node === undefined) continue;
    let depth = 0;
    for (let at = node.parent; at !== ROOT; at = outline.node(at)?.parent ?? ROOT) depth++;
    lines.push(`${"  ".repeat(depth)}${node.name}`);
  }
  return lines;
}

async function answer(request: PeerRequest): Promise<PeerAnswer> {
  switch (request.kind) {
    case "create":
      replica.edits.create({ parent: ROOT, position: "bottom", name: request.name });
      return { kind: "done" };
    case "edit":
      return { kind: "edited", kept: editor.edit(request.count) };
    case "sketch":
      return { kind: "sketch", sketch: sketch() };
    case "status":
      return { kind: "status", status: replica.status };
    case "saved":
      await replica.saved();
      return { kind: "done" };
    case "stored":
      await replica.stored();
      return { kind: "done" };
    case "close":
      await replica.close();
      return { kind: "done" };
    default:
      return request satisfies never;
  }
}

process.on("message", ({ id, request }: { id: number; request: PeerRequest }) => {
  void answer(request)
    .then(
      (result) => process.send?.({ id, result }),
      (error: unknown) => process.send?.({ id, failure: String(error) }),
    )
    // The parent is all that keeps this process alive then.
    .then(() => request.kind === "close" && process.disconnect());
});
process.send?.({ id: 0, result: { kind: "done" } });
