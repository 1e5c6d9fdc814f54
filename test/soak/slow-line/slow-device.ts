import { nodePlatform } from "../../../client/lib/node/node-platform.ts";
import { openReplica } from "../../../client/lib/open.ts";
import type { Platform } from "../../../client/lib/platform.ts";
import type { Replica } from "../../../client/lib/replica.ts";
import { MemoryDisk } from "../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../support/memory-replica/memory-replica-store.ts";
import { soleTab } from "../../../client/lib/tab-group.ts";
import { ROOT } from "../../../src/core/node-key.ts";
import { connectStockClient } from "../../e2e/stock-client.ts";
import { addNode, countIn } from "../../support/socket-outline.ts";

/** A program at the far end of a line. It comes again by itself when the line breaks. */
export interface SlowDevice {
  /** How many nodes it has. */
  count(): number;
  /** Codes other than that of a line that broke, with which its connections ended. */
  readonly codes: readonly number[];
  /** Makes nodes that the server has not. */
  write(names: readonly string[]): void;
  close(): Promise<void>;
}

export type DeviceKind = "stock" | "library";

const BROKEN = 1006;

export function openDevice(kind: DeviceKind, url: string, key: string): Promise<SlowDevice> {
  return kind === "stock" ? Promise.resolve(stockDevice(url, key)) : libraryDevice(url, key);
}

function stockDevice(url: string, key: string): SlowDevice {
  const client = connectStockClient(url, key);
  return {
    count: () => countIn(client.doc),
    get codes() {
      return client.closeCodes.filter((code) => code !== BROKEN);
    },
    write(names) {
      // All of it in one message, as of somebody who was away.
      client.provider.disconnect();
      for (const name of names) addNode(client.doc, name);
      client.provider.connect();
    },
    async close() {
      client.provider.awareness.destroy();
      client.leave();
    },
  };
}

async function libraryDevice(url: string, key: string): Promise<SlowDevice> {
  const codes: number[] = [];
  const platform = noting(nodePlatform(url, key), (code) => codes.push(code));
  const store = new MemoryReplicaStore(new MemoryDisk());
  const replica: Replica = await openReplica({ store, tabs: soleTab(), platform });
  return {
    count: () => countIn(replica.outline.doc),
    codes,
    write(names) {
      for (const name of names) replica.edits.create({ parent: ROOT, position: "bottom", name });
    },
    close: () => replica.close(),
  };
}

/** The same platform, which tells how connections end. */
function noting(platform: Platform, onCode: (code: number) => void): Platform {
  return {
    ...platform,
    openSocket: (outline, listener) =>
      platform.openSocket(outline, {
        onOpen: () => listener.onOpen(),
        onMessage: (bytes) => listener.onMessage(bytes),
        onClose(code) {
          if (code !== BROKEN) onCode(code);
          listener.onClose(code);
        },
      }),
  };
}
