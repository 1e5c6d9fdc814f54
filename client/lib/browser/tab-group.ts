import type { TabGroup } from "../tab-group.ts";

/** What this needs of the browser; each of it may be missing. */
export interface TabSurroundings {
  readonly locks: Pick<LockManager, "request"> | undefined;
  readonly openChannel: ((name: string) => BroadcastChannel) | undefined;
}

/**
 * The tabs that have a store open. Needs Web Locks and a BroadcastChannel; where either is missing
 * or refused, as on pages without TLS, this tab stands alone: it leads, and hears nobody.
 *
 * @param name of the store
 */
export function browserTabs(name: string, surroundings = ofThisBrowser()): TabGroup {
  return new BrowserTabGroup(name, surroundings);
}

class BrowserTabGroup implements TabGroup {
  readonly #name: string;
  readonly #locks: Pick<LockManager, "request"> | undefined;
  readonly #channel: BroadcastChannel | undefined;
  readonly #closing = new AbortController();
  readonly #closed: Promise<void>;
  readonly #leaderListeners = new Set<() => void>();
  readonly #messageListeners = new Set<(message: unknown) => void>();
  readonly #held = new Set<number>();
  #isLeader = false;

  constructor(name: string, { locks, openChannel }: TabSurroundings) {
    this.#name = name;
    this.#locks = locks;
    this.#closed = new Promise((resolve) =>
      this.#closing.signal.addEventListener("abort", () => resolve()),
    );
    this.#channel = locks && channelOf(name, openChannel);
    this.#channel?.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      for (const listener of this.#messageListeners) listener(data);
    });
    if (locks === undefined || this.#channel === undefined) this.#isLeader = true;
    else void this.#waitForLead(locks);
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  onLeader(listener: () => void): () => void {
    if (!this.#isLeader) this.#leaderListeners.add(listener);
    return () => this.#leaderListeners.delete(listener);
  }

  post(message: object): void {
    if (!this.#closing.signal.aborted) this.#channel?.postMessage(message);
  }

  onMessage(listener: (message: unknown) => void): () => void {
    this.#messageListeners.add(listener);
    return () => this.#messageListeners.delete(listener);
  }

  async hold(client: number): Promise<boolean> {
    if (this.#held.has(client)) return true;
    if (this.#closing.signal.aborted) return false;
    // Tabs of earlier versions use the same names.
    const isHeld = await this.#lock(`${this.#name}/lease/${client}`);
    if (isHeld) this.#held.add(client);
    return isHeld;
  }

  close(): void {
    this.#closing.abort();
    this.#channel?.close();
    this.#leaderListeners.clear();
    this.#messageListeners.clear();
  }

  async #waitForLead(locks: Pick<LockManager, "request">): Promise<void> {
    const { signal } = this.#closing;
    try {
      await locks.request(`${this.#name}/leader`, { signal }, async () => {
        this.#lead();
        await this.#closed;
      });
    } catch {
      // Closed while it waited; or locks are refused, and then nobody else leads for this tab.
      if (!signal.aborted) this.#lead();
    }
  }

  #lead(): void {
    if (this.#isLeader || this.#closing.signal.aborted) return;
    this.#isLeader = true;
    const listeners = [...this.#leaderListeners];
    this.#leaderListeners.clear();
    for (const listener of listeners) listener();
  }

  /** Takes a lock until this tab closes; false when another tab has it, or there are none. */
  #lock(name: string): Promise<boolean> {
    const locks = this.#locks;
    if (locks === undefined) return Promise.resolve(false);
    return new Promise((resolve) => {
      locks
        .request(name, { ifAvailable: true }, async (lock) => {
          resolve(lock !== null);
          if (lock !== null) await this.#closed;
        })
        .catch(() => resolve(false));
    });
  }
}

function channelOf(
  name: string,
  openChannel: TabSurroundings["openChannel"],
): BroadcastChannel | undefined {
  try {
    return openChannel?.(name);
  } catch {
    return undefined;
  }
}

function ofThisBrowser(): TabSurroundings {
  return {
    // Only pages that came over TLS, or from this very machine, have locks.
    locks: "locks" in navigator ? navigator.locks : undefined,
    openChannel:
      "BroadcastChannel" in globalThis ? (name) => new BroadcastChannel(name) : undefined,
  };
}
