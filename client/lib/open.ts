import type { OutlineId } from "../../src/core/node-key.ts";
import { withoutEnd } from "../../src/core/text/without-end.ts";
import type { Leading } from "./leading.ts";
import { loadStored, outlineInSlices } from "./load-replica.ts";
import { LocalDeviceRecords } from "./local-device-records.ts";
import { LocalReplica } from "./local-replica.ts";
import type { Platform } from "./platform.ts";
import type { Replica } from "./replica.ts";
import { ServerClock } from "./server-clock.ts";
import { SharedReplica } from "./shared-replica.ts";
import type { ReplicaStore } from "./store/replica-store.ts";
import type { TabGroup } from "./tab-group.ts";
import { TabLink } from "./tab-link.ts";

/** What a replica is opened on. */
export interface Surroundings {
  /** Closed with the replica. */
  readonly store: ReplicaStore;
  /** Closed with the replica. */
  readonly tabs: TabGroup;
  readonly platform: Platform;
  /** Whose outline it is, for a store that does not say; absent: the server is asked. */
  readonly outline?: OutlineId | undefined;
  /** Fetches what it takes to connect; the program's own unless given. */
  readonly loadLeading?: () => Promise<Leading>;
  /** Called when that can't be had; it is tried again. */
  readonly onPartMissing?: (() => void) | undefined;
  /**
   * Asked when what is stored was deleted while the replica is open, before all of it is stored once more:
   * false after a sign-out. Absent: it is not stored any more.
   */
  readonly mayStoreAnew?: (() => boolean) | undefined;
}

/** Names an outline nobody has, until it is known whose replica it is. */
const UNKNOWN_OUTLINE = "00000000000080008000" as OutlineId;

/**
 * Opens a replica, and begins to connect when no other tab does. Resolves when what is stored is loaded,
 * whether or not the server answers; only a store that is new waits a few seconds for the server to say
 * whose outline it is. Closes what it was given when that fails.
 * @throws StoreError when the store can't be read
 */
export async function openReplica(surroundings: Surroundings): Promise<Replica> {
  const { store, tabs, platform, loadLeading = importLeading } = surroundings;
  const link = new TabLink(tabs);
  try {
    const { stored, doc } = await loadStored(store, platform);
    const id = stored.outline ?? surroundings.outline ?? (await askOutline(platform));
    const records = new LocalDeviceRecords(store);
    const clock = new ServerClock(platform, records);
    await clock.read();
    const outline = await outlineInSlices(doc, id ?? UNKNOWN_OUTLINE, platform, clock);
    const parts = { ...surroundings, loadLeading, link, clock, records };
    const shared = new SharedReplica(parts, outline, id, stored);
    await shared.start(stored, await shared.status.readSince());
    return new LocalReplica(surroundings, records, shared);
  } catch (error) {
    link.close();
    await store.close().catch(() => undefined);
    throw error;
  }
}

/** Whose outline the key opens: asked for a new store, which does not know. */
async function askOutline({ askSession }: Platform): Promise<OutlineId | undefined> {
  const reply = await askSession();
  return reply.kind === "signed_in" ? reply.outline : undefined;
}

async function importLeading(): Promise<Leading> {
  return (await import("./leading.ts")).leading;
}

const ADDRESS = /^https?:\/\/[^/\s]+/;
/** What a websocket takes as the name of a protocol, which is how a key travels. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Refuses what no connection can ever be made with.
 * @param key absent where a cookie tells who it is
 * @throws TypeError
 */
export function checkAddress(url: string, key: string | undefined): void {
  if (!ADDRESS.test(url)) throw new TypeError(`no address of http or https: ${url}`);
  if (key !== undefined && !TOKEN.test(key)) {
    throw new TypeError("the key is empty, or has spaces or other characters that no key has");
  }
}

/**
 * The address of the websocket of an outline, or of the key's own.
 * @param url of the service: http or https, without what follows the host and the port
 */
export function syncAddress(url: string, outline: OutlineId | undefined): string {
  return `${withoutEnd(url, "/").replace(/^http/, "ws")}/sync/${outline ?? "me"}`;
}

/** The address that says whose outline a key opens. */
export function sessionAddress(url: string): string {
  return `${withoutEnd(url, "/")}/session`;
}
