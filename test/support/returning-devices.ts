import { addNode } from "./socket-outline.ts";
import { until } from "./socket-until.ts";
import { Device, SyncClient } from "./sync-client.ts";

interface Returning {
  readonly key: string;
  readonly device: Device;
  client: SyncClient | undefined;
}

/** Far longer than a server may take. */
const PATIENCE_MS = 10 * 60_000;

/** Devices of many users, one each, which come to a server all at once. */
export class ReturningDevices {
  readonly #all: readonly Returning[];

  /** They have never been to a server. */
  constructor(keys: readonly string[]) {
    this.#all = keys.map((key) => ({ key, device: new Device(), client: undefined }));
  }

  /** Of every other device: written while no server is there. */
  edit(name: (index: number) => string): void {
    for (const [index, { device }] of this.#all.entries()) {
      if (index % 2 === 1) addNode(device.doc, name(index));
    }
  }

  /**
   * Devices come, all at once, or those alone that have edits to send, or none.
   * @returns how long each waited until it had all that there is, and all of its own was saved, in
   *   milliseconds, from the shortest on
   */
  async come(url: string, which: "all" | "editing" | "others" = "all"): Promise<readonly number[]> {
    const { host } = new URL(url);
    const startedAt = performance.now();
    const pending = new Set(this.#of(which));
    for (const each of pending) {
      each.client = new SyncClient({ url: `ws://${host}/sync/me`, ...each });
    }
    const waits: number[] = [];
    const look = (): boolean => {
      for (const each of pending) {
        if (!isDone(each)) continue;
        waits.push(performance.now() - startedAt);
        pending.delete(each);
      }
      return pending.size === 0;
    };
    await until(look, "all devices", PATIENCE_MS);
    return waits;
  }

  /** What servers have refused. */
  get refused(): number {
    return this.#all.reduce((sum, { client }) => sum + (client?.refused.length ?? 0), 0);
  }

  /** All connections end, as those of killed programs do. */
  leave(): void {
    for (const { client } of this.#all) client?.kill();
  }

  #of(which: "all" | "editing" | "others"): readonly Returning[] {
    if (which === "all") return this.#all;
    return this.#all.filter((_, index) => (index % 2 === 1) === (which === "editing"));
  }
}

/** @throws Error when the server has ended the connection */
function isDone({ client }: Returning): boolean {
  if (client?.closed !== undefined) throw new Error(`closed with ${client.closed.code}`);
  return client?.isLive === true && client.unsaved === 0;
}

/** Of sorted values: the one that such a share of all is not above. */
export function quantileOf(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
