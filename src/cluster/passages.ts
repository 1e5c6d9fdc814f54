import type { Owner } from "../accounts/passing.ts";

/** What becomes of a passage when this process ends. */
export type Prospect =
  /** It has no end of its own: nobody waits for that. */
  | "endless"
  /** Nothing of it is answered, and it can be asked of another process. */
  | "repeatable"
  | "ends_by_itself";

/** What is under way by way of another process. */
export interface Passage {
  readonly owner: Owner;
  readonly prospect: Prospect;
  /** Ends it: one of the two processes is gone. */
  readonly end: () => void;
}

export interface PassagesOptions {
  /** Which of some processes may still serve what they own. */
  readonly livingOf: (processes: readonly number[]) => Promise<ReadonlySet<number>>;
  /** Whether a process answers, within seconds. Never rejects. */
  readonly reaches: (owner: Owner) => Promise<boolean>;
  readonly onCutOff: (owner: Owner) => void;
}

const WATCH_MS = 500;

/**
 * Requests and websockets that other processes answer. One that stands still takes its connections
 * with it, which the system keeps open, and so does a network that is cut: so each process that
 * anything waits for is looked after, and what waits for one that is gone, or can't be reached, is
 * ended.
 */
export class Passages {
  readonly #options: PassagesOptions;
  /** One for each connection of a client that is passed on. [Q92] */
  readonly #underWay = new Set<Passage>();
  /** Processes that are being asked whether they are there. [Q92] */
  readonly #asked = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: PassagesOptions) {
    this.#options = options;
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

  endAll(which: Prospect): void {
    for (const { prospect, end } of this.#underWay) if (prospect === which) end();
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
    const owners = new Map([...this.#underWay].map(({ owner }) => [owner.process, owner]));
    for (const owner of owners.values()) void this.#lookFor(owner);
    const processes = [...owners.keys()];
    // While the database does not answer nobody can take anything over.
    const living = await this.#options.livingOf(processes).catch(() => new Set(processes));
    for (const process of processes) if (!living.has(process)) this.#endAllOf(process);
    this.#timer = undefined;
    if (this.#underWay.size > 0) this.#watchLater();
  }

  /** The database may see a process that this one can't reach. */
  async #lookFor(owner: Owner): Promise<void> {
    if (this.#asked.has(owner.process)) return;
    this.#asked.add(owner.process);
    const isReached = await this.#options.reaches(owner);
    this.#asked.delete(owner.process);
    if (isReached || this.#isClosed) return;
    this.#options.onCutOff(owner);
    this.#endAllOf(owner.process);
  }

  #endAllOf(process: number): void {
    for (const { owner, end } of this.#underWay) if (owner.process === process) end();
  }
}
