import type { Payer } from "./payer.ts";

/** A piece of work that held the thread for long, and whose it was. */
export interface LongTurn {
  readonly payer: Payer;
  /** What was done: an operation, or what the documents call it. */
  readonly kind: string;
  /** What it was done with: bytes, or structs; 0 where that says nothing. */
  readonly size: number;
  /** How long nobody else had a turn. */
  readonly tookMs: number;
}

export interface WatchdogOptions {
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number;
  /** Milliseconds of processor time that the process has had. */
  readonly busy: () => number;
  /** Milliseconds that it has collected garbage, as far as that has been told. */
  readonly collecting: () => number;
  /** Resolves when all is told that has happened until now. */
  readonly settle: () => Promise<void>;
  /** Somebody's work took long, and the next of the kind is refused. None of these may throw. */
  readonly onLong: (turn: LongTurn) => void;
  /** A turn took long, and not because of what was done: the machine stood still, or collected garbage. */
  readonly onPause: (tookMs: number) => void;
}

/** A turn of the event loop may take so long. */
const LONG_MS = 1_000;
/** For so long nothing more of the kind is done for who has had such a turn. */
const REFUSED_MS = 60_000;
/** So old may be what is known of the processor time before some work. */
const SAMPLE_MS = 100;

/** What was known some time before some work. */
interface Sample {
  readonly at: number;
  readonly busyMs: number;
  readonly collectingMs: number;
}

/**
 * Sees who holds the thread for longer than anybody may, whatever limit was to prevent that: tells it,
 * and refuses that payer's next work of the kind for a minute. Looks at clocks when work begins and
 * ends, and has no timer.
 *
 * Nobody is blamed for a pause of the machine: only processor time counts, and of that not what went
 * into collecting garbage. Where that is not known yet, the payer is refused until it is.
 */
export class Watchdog {
  readonly #options: WatchdogOptions;
  #sample: Sample | undefined;
  /** By payer and kind: one for each second of the last minute at most [Q41]. */
  readonly #refusedUntil = new Map<string, number>();
  /** Of work that ended, what it was told to have taken: not to be counted again by what it was part of. */
  #toldMs = 0;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  /** For how many milliseconds a payer's work of a kind is refused; 0 when it is not. */
  refusedMs(payer: Payer, kind: string): number {
    if (this.#refusedUntil.size === 0) return 0;
    const until = this.#refusedUntil.get(nameOf(payer, kind));
    return until === undefined ? 0 : Math.max(0, until - this.#options.elapsed());
  }

  /**
   * Does `work` and sees how long it takes, that is until it returns. Work may be part of other work.
   * @param size asked for when it took long
   */
  run<T>(payer: Payer, kind: string, size: () => number, work: () => T): T {
    const { elapsed } = this.#options;
    const startedAt = elapsed();
    const told = this.#toldMs;
    const before = this.#sampleAt(startedAt);
    try {
      return work();
    } finally {
      const tookMs = elapsed() - startedAt - (this.#toldMs - told);
      if (tookMs > LONG_MS) this.#onLong({ payer, kind, size: size(), tookMs }, before);
    }
  }

  #sampleAt(now: number): Sample {
    if (this.#sample !== undefined && now - this.#sample.at <= SAMPLE_MS) return this.#sample;
    const { busy, collecting } = this.#options;
    this.#sample = { at: now, busyMs: busy(), collectingMs: collecting() };
    return this.#sample;
  }

  #onLong(turn: LongTurn, before: Sample): void {
    this.#toldMs += turn.tookMs;
    const { elapsed, busy } = this.#options;
    const now = elapsed();
    const workedMs = Math.min(turn.tookMs, busy() - before.busyMs);
    for (const [each, until] of this.#refusedUntil) {
      if (until <= now) this.#refusedUntil.delete(each);
    }
    if (workedMs > LONG_MS) this.#refusedUntil.set(nameOf(turn.payer, turn.kind), now + REFUSED_MS);
    void this.#judge(turn, workedMs, before);
  }

  async #judge(turn: LongTurn, workedMs: number, before: Sample): Promise<void> {
    const { settle, collecting, onLong, onPause } = this.#options;
    await settle();
    if (workedMs - (collecting() - before.collectingMs) > LONG_MS) return onLong(turn);
    this.#refusedUntil.delete(nameOf(turn.payer, turn.kind));
    onPause(turn.tookMs);
  }
}

/** What has long work watched. */
export type Watch = Pick<Watchdog, "refusedMs" | "run">;

/** Nobody sees what takes long. */
export const UNWATCHED: Watch = {
  refusedMs: () => 0,
  run: (_payer, _kind, _size, work) => work(),
};

function nameOf(payer: Payer, kind: string): string {
  return `${kind} ${payer}`;
}
