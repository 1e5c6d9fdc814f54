import type { TabGroup } from "../../../client/lib/tab-group.ts";
import type { Program } from "./program.ts";

/** The tabs of a device: what they tell each other arrives later, in order; the oldest one leads. */
export class SimulatedTabs {
  readonly #tabs: Tab[] = [];
  readonly #leases = new Map<number, Tab>();

  /** A tab that is gone when its program is killed. */
  open(program: Program): TabGroup {
    const tab = new Tab(program, this);
    this.#tabs.push(tab);
    program.onDeath(() => this.leave(tab));
    return tab;
  }

  isFirst(tab: Tab): boolean {
    return this.#tabs[0] === tab;
  }

  post(from: Tab, message: unknown): void {
    // Tabs share no memory.
    const copy: unknown = structuredClone(message);
    for (const tab of this.#tabs) if (tab !== from) tab.program.setTimeout(() => tab.hear(copy), 1);
  }

  claim(tab: Tab, clients: readonly number[]): number | undefined {
    const free = clients.find((client) => !this.#leases.has(client));
    if (free !== undefined) this.#leases.set(free, tab);
    return free;
  }

  leave(tab: Tab): void {
    const at = this.#tabs.indexOf(tab);
    if (at < 0) return;
    this.#tabs.splice(at, 1);
    for (const [client, holder] of this.#leases) if (holder === tab) this.#leases.delete(client);
    const [next] = this.#tabs;
    if (at === 0) next?.program.setTimeout(() => next.lead(), 1);
  }
}

class Tab implements TabGroup {
  readonly program: Program;
  readonly #tabs: SimulatedTabs;
  readonly #listeners = new Set<(message: unknown) => void>();
  readonly #leadListeners = new Set<() => void>();

  constructor(program: Program, tabs: SimulatedTabs) {
    this.program = program;
    this.#tabs = tabs;
  }

  get isLeader(): boolean {
    return this.#tabs.isFirst(this);
  }

  onLeader(listener: () => void): () => void {
    this.#leadListeners.add(listener);
    return () => this.#leadListeners.delete(listener);
  }

  post(message: Uint8Array | object): void {
    this.#tabs.post(this, message);
  }

  onMessage(listener: (message: unknown) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  claimLease(clients: readonly number[]): Promise<number | undefined> {
    return Promise.resolve(this.#tabs.claim(this, clients));
  }

  close(): void {
    this.#listeners.clear();
    this.#leadListeners.clear();
    this.#tabs.leave(this);
  }

  hear(message: unknown): void {
    for (const listener of this.#listeners) listener(message);
  }

  lead(): void {
    for (const listener of this.#leadListeners) listener();
  }
}
