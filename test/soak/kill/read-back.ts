import * as Y from "yjs";
import { newOutlineId, ROOT } from "../../../src/core/node-key.ts";
import { Outline } from "../../../src/core/outline.ts";
import { call } from "../../e2e/program-folder.ts";
import { until } from "../../support/socket-until.ts";
import { Device, SyncClient } from "../../support/sync-client.ts";
import {
  differenceOf,
  type ExportedNode,
  type TreeNode,
  treesOfExport,
  treesOfOutline,
} from "./outline-tree.ts";

/** What a server shows of one outline. */
export interface ReadBack {
  /** At the top level. */
  readonly trees: readonly TreeNode[];
  /** By client id, up to which clock the server has its edits. */
  readonly clocks: ReadonlyMap<number, number>;
}

/** An outline that can't be read, or not as one thing. */
export class UnreadableOutlineError extends Error {
  override readonly name = "UnreadableOutlineError";
}

/**
 * Reads an outline over the API and, as a new device, over a websocket.
 * @throws UnreadableOutlineError when either fails, or the two differ
 */
export async function readBack(url: string, key: string): Promise<ReadBack> {
  const { status, body } = await call({ url }, key, "GET", "nodes-export");
  if (status !== 200) throw new UnreadableOutlineError(`export: ${status} ${JSON.stringify(body)}`);
  const { nodes } = body as { readonly nodes: readonly ExportedNode[] };
  const trees = treesOfExport(nodes);
  const doc = await documentOfNewDevice(url, key);
  const outline = Outline.attach(doc, {
    // Only the last digits of ids are compared.
    id: newOutlineId(Math.random),
    now: Date.now,
    random: Math.random,
  });
  const top = { key: ROOT, name: "", note: null, completed: false };
  const difference = differenceOf(
    { ...top, children: trees },
    { ...top, children: treesOfOutline(outline, ROOT) },
  );
  outline.detach();
  if (difference !== undefined) {
    throw new UnreadableOutlineError(`over the websocket it is another: ${difference}`);
  }
  return { trees, clocks: Y.decodeStateVector(Y.encodeStateVector(doc)) };
}

async function documentOfNewDevice(url: string, key: string): Promise<Y.Doc> {
  const device = new Device();
  const client = new SyncClient({
    url: `${url.replace("http", "ws")}/sync/me`,
    key,
    device,
  });
  await until(() => client.isLive || client.closed !== undefined, "a whole outline");
  if (!client.isLive) {
    throw new UnreadableOutlineError(`websocket: ${JSON.stringify(client.closed)}`);
  }
  client.kill();
  return device.doc;
}
