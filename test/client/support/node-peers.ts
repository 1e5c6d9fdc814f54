import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { NodePeer, type PeerStart } from "./node-peer.ts";

/** Processes with stores of their own, none of which outlives its test. */
export interface NodePeers {
  /** @param folder a name: the same one again opens the same store */
  start(options: Omit<PeerStart, "folder"> & { readonly folder: string }): Promise<NodePeer>;
}

/** To be called once, in a test file. */
export function useNodePeers(): NodePeers {
  let root = "";
  const peers: NodePeer[] = [];
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "outline-peers-"));
  });
  afterEach(async () => {
    await Promise.all(peers.splice(0).map((peer) => peer.kill()));
    await rm(root, { recursive: true, force: true });
  });
  return {
    async start(options) {
      const peer = await NodePeer.start({ ...options, folder: join(root, options.folder) });
      peers.push(peer);
      return peer;
    },
  };
}
