import type { TabGroup } from "../../client/lib/tab-group.ts";

/** Does something after what is being done now. */
type Later = (work: () => void) => unknown;

/** The tabs of one browser: messages arrive later, in order; the oldest tab that is open leads. */
export class MemoryTabs {
  readonly #tabs: MemoryTab[] = [];
  /** Which tab holds which client id. */
  readonly holders = new Map<number, MemoryTab>();

  open(later: Later = setImmediate): TabGroup {
    const tab = new MemoryTab(this, later);
    this.#tabs.push(tab);
    return tab;
  }

  isFirst(tab: MemoryTab): boolean {
    return this.#tabs[0] === tab;
  }

  post(from: MemoryTab, message: unknown): void {
    if (this.#tabs.length < 2) return;
    const copy: unknown = structuredClone(message);
    for (const tab of this.#tabs) if (tab !== from) tab.later(() => tab.hear(copy));
  }

  close(tab: MemoryTab): void {
    const at = this.#tabs.indexOf(tab);
    if (at < 0) return;
    this.#tabs.splice(at, 1);
    for (const [client, holder] of this.holders) if (holder === tab) this.holders.delete(client);
    const [next] = this.#tabs;
    if (at === 0) next?.later(() => next.lead());
  }
}

class MemoryTab implements TabGroup {
  readonly later: Later;
  readonly #tabs: MemoryTabs;
  readonly #listeners = new Set<(message: unknown) => void>();
  readonly #leadListeners = new Set<() => void>();

  constructor(tabs: MemoryTabs, later: Later) {
    this.#tabs = tabs;
    this.later = later;
  }

  get isLeader(): boolean {
    return this.#tabs.isFirst(this);
  }

  onLeader(listener: () => void): () => void {
    this.#leadListeners.add(listener);
    return () => this.#leadListeners.delete(listener);
  }

  post(message: object): void {
    this.#tabs.post(this, message);
  }

  onMessage(listener: (message: unknown) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async hold(client: number): Promise<boolean> {
    const { holders } = this.#tabs;
    if (!holders.has(client)) holders.set(client, this);
    return holders.get(client) === this;
  }

  close(): void {
    this.#listeners.clear();
    this.#leadListeners.clear();
    this.#tabs.close(this);
  }

  hear(message: unknown): void {
    for (const listener of this.#listeners) listener(message);
  }

  lead(): void {
    for (const listener of this.#leadListeners) listener();
  }
}
