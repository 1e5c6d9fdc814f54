/** What is under way by way of another process. */
export interface Passage {
  readonly kind: "request" | "websocket";
  readonly process: number;
  /** Ends it: that process is gone. */
  readonly end: () => void;
}

const WATCH_MS = 500;

/**
 * Requests and websockets that other processes answer. One that stands still takes its connections
 * with it, which the system keeps open: so each process that anything waits for is looked after, and
 * what waits for one that is gone is ended.
 */
export class Passages {
  readonly #livingOf: (processes: readonly number[]) => Promise<ReadonlySet<number>>;
  /** One for each connection of a client that is passed on. [Q92] */
  readonly #underWay = new Set<Passage>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param livingOf which of them may still serve what they own */
  constructor(livingOf: (processes: readonly number[]) => Promise<ReadonlySet<number>>) {
    this.#livingOf = livingOf;
  }

  get size(): number {
    return this.#underWay.size;
  }

  /** @returns what ends to watch it */
  add(passage: Passage): () => void {
    this.#underWay.add(passage);
    this.#watchLater();
    return () => void this.#underWay.delete(passage);
  }

  endWebsockets(): void {
    for (const { kind, end } of this.#underWay) if (kind === "websocket") end();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { end } of this.#underWay) end();
  }

  #watchLater(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#watch(), WATCH_MS);
  }

  async #watch(): Promise<void> {
    const processes = [...new Set([...this.#underWay].map(({ process }) => process))];
    // While the database does not answer nobody can take anything over.
    const living = await this.#livingOf(processes).catch(() => new Set(processes));
    for (const { process, end } of this.#underWay) {
      if (processes.includes(process) && !living.has(process)) end();
    }
    this.#timer = undefined;
    if (this.#underWay.size > 0) this.#watchLater();
  }
}
