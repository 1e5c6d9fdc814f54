import type { Accounts } from "../../accounts/accounts.ts";
import type { Principal } from "../../accounts/principal.ts";
import type { Documents } from "../../documents/documents.ts";
import type { Timers } from "../../documents/timers.ts";
import { problem, type Problem } from "../problem.ts";

/**
 * Requests that are held at one time for each key, with those that were made with it, and each user;
 * streams of events among them.
 */
export const MOST_OF_KEY = 10;
export const MOST_OF_USER = 50;

const TOO_MANY = problem(
  "rate_limited",
  `At most ${MOST_OF_KEY} requests of a key and ${MOST_OF_USER} of a user are held at one time.`,
  1000,
);

type Alarms = Pick<Timers, "setTimeout" | "clearTimeout">;

/** A request that is answered when something has happened. */
export class Held {
  readonly kind = "held";
  readonly #alarms: Alarms;
  readonly #onOver: () => void;
  #isOver = false;
  #mayHaveChanged = false;
  #isPausing = false;
  #wake: (() => void) | undefined;
  #letGo: (() => void) | undefined;

  /** @param onOver called once, when it is over @param letGo called once, when it holds nothing any more */
  constructor(alarms: Alarms, onOver: () => void, letGo: () => void) {
    this.#alarms = alarms;
    this.#onOver = onOver;
    this.#letGo = letGo;
  }

  /** Whether it is to be answered now, whatever has happened: its time, its key or the service ends. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Resolves when its outline may have changed since this was last called, when it is over, or after so
   * many milliseconds. @returns whether the outline may have changed
   */
  async next(ms?: number): Promise<boolean> {
    if (!this.#mayHaveChanged) await this.#sleep(ms);
    const hasChanged = this.#mayHaveChanged;
    this.#mayHaveChanged = false;
    return hasChanged;
  }

  /**
   * Waits so many milliseconds, or until it is over, and takes what changes meanwhile together with what
   * has changed before.
   */
  async pause(ms: number): Promise<void> {
    this.#isPausing = true;
    await this.#sleep(ms);
    this.#isPausing = false;
    this.#mayHaveChanged = false;
  }

  /** The outline may have changed. */
  changed(): void {
    this.#mayHaveChanged = true;
    if (!this.#isPausing) this.#wake?.();
  }

  /** It is over: the client has left. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wake?.();
    this.#onOver();
  }

  /** It holds nothing any more. */
  end(): void {
    this.leave();
    this.#letGo?.();
    this.#letGo = undefined;
  }

  async #sleep(ms?: number): Promise<void> {
    if (this.#isOver) return;
    let alarm: unknown;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (ms !== undefined) alarm = this.#alarms.setTimeout(resolve, ms);
    });
    this.#alarms.clearTimeout(alarm);
  }
}

interface HeldRequestsOptions {
  readonly documents: Pick<Documents, "subscribe">;
  readonly accounts: Pick<Accounts, "onRevoked">;
  readonly timers: Alarms;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The requests that are held open until something happens. */
export class HeldRequests {
  readonly #options: HeldRequestsOptions;
  /** By key and by user; those of whom none is held are not in it. [Q80] */
  readonly #counts = new Map<string, number>();
  /** [Q80] */
  readonly #open = new Set<Held>();
  #isClosing = false;

  constructor(options: HeldRequestsOptions) {
    this.#options = options;
  }

  /** Answers all at once, and holds none any more. */
  close(): void {
    this.#isClosing = true;
    for (const held of this.#open) held.leave();
  }

  /**
   * Holds a request for so long, or less when its key ends before that.
   * @param onOver called once, when it is over
   */
  hold(principal: Principal, ms: number, onOver = (): void => undefined): Held | Problem {
    const { family, user, outline, id, expiresAt } = principal;
    const names = [`key ${family}`, `user ${user}`] as const;
    const [ofKey, ofUser] = names.map((name) => this.#counts.get(name) ?? 0);
    if ((ofKey ?? 0) >= MOST_OF_KEY || (ofUser ?? 0) >= MOST_OF_USER) return TOO_MANY;
    const { documents, accounts, timers, now } = this.#options;
    const leftMs = expiresAt === undefined ? ms : Math.min(ms, expiresAt * 1000 - now());
    const held: Held = new Held(timers, onOver, () => {
      timers.clearTimeout(timer);
      stopFollowing();
      stopListening();
      this.#open.delete(held);
      this.#count(names, -1);
    });
    const timer = timers.setTimeout(() => held.leave(), Math.max(0, leftMs));
    const changed = (): void => held.changed();
    const stopFollowing = documents.subscribe(outline, { onDurable: changed, onLost: changed });
    const stopListening = accounts.onRevoked((revoked) => {
      if (revoked === id) held.leave();
    });
    this.#count(names, 1);
    this.#open.add(held);
    if (this.#isClosing) held.leave();
    return held;
  }

  #count(names: readonly string[], more: number): void {
    for (const name of names) {
      const count = (this.#counts.get(name) ?? 0) + more;
      if (count === 0) this.#counts.delete(name);
      else this.#counts.set(name, count);
    }
  }
}
