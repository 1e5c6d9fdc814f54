import type { OutlineId } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { withoutEnd } from "../../src/core/text/without-end.ts";
import { LocalEdits } from "./edit/local-edits.ts";
import { UndoHistory } from "./edit/undo-history.ts";
import type { Leading } from "./leading.ts";
import { LocalReplica } from "./local-replica.ts";
import type { Platform } from "./platform.ts";
import type { Editing } from "./replica-document.ts";
import type { Replica } from "./replica.ts";
import type { ReplicaStore } from "./store/replica-store.ts";
import type { TabGroup } from "./tab-group.ts";

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

/**
 * Opens a replica. Resolves when what is stored is loaded, whether or not the server answers; only a
 * store that is new waits a few seconds for the server to say whose outline it is.
 * @throws StoreError when the store can't be read
 */
export function openReplica(surroundings: Surroundings): Promise<Replica> {
  const { platform, loadLeading = importLeading } = surroundings;
  const editing = (of: Outline, seq: () => number): Editing => {
    const history = new UndoHistory({ outline: of, seq, now: platform.elapsed });
    const edits = new LocalEdits({ outline: of, history });
    return { history, edits, close: () => history.close() };
  };
  return LocalReplica.open({ ...surroundings, loadLeading, editing });
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
