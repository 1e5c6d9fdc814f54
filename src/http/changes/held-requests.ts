import type { Accounts } from "../../accounts/accounts.ts";
import type { Principal } from "../../accounts/principal.ts";
import type { Documents } from "../../documents/documents.ts";
import { problem, type Problem } from "../problem.ts";
import { type Alarms, News } from "./news.ts";

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

/**
 * A request that is answered when something has happened. It is over when its time, its key or the
 * service ends, and when the client has left.
 */
export class Held extends News {
  readonly kind = "held";
  readonly #onOver: () => void;
  #letGo: (() => void) | undefined;

  /** @param onOver called once, when it is over @param letGo called once, when it holds nothing any more */
  constructor(alarms: Alarms, onOver: () => void, letGo: () => void) {
    super(alarms);
    this.#onOver = onOver;
    this.#letGo = letGo;
  }

  override leave(): void {
    if (this.isOver) return;
    super.leave();
    this.#onOver();
  }

  /** It holds nothing any more. */
  end(): void {
    this.leave();
    this.#letGo?.();
    this.#letGo = undefined;
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
    const come = (): void => held.come();
    const stopFollowing = documents.subscribe(outline, { onDurable: come, onLost: come });
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
