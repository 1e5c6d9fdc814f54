import { setTimeout as delay } from "node:timers/promises";
import type { AccountNews } from "../../accounts/account-store.ts";
import { StoreError } from "../../documents/outline-log.ts";
import { storeClosed, storeUnavailable } from "../store-failure.ts";
import { join, type Joined, type JoinOptions } from "./joining.ts";
import type { Member } from "./member.ts";
import { revocationsSince } from "./revocations.ts";
import type { Candidate, ProcessLoad } from "./spread.ts";
import type { SqlSession } from "./sql-session.ts";

const HEARTBEATS_IN_LEASE = 8;
/** How long a start waits for one that is just ending. */
const PATIENCE_MS = 2000;
const RETRY_MS = 100;
const LONGEST_RETRY_MS = 5000;

export interface MembershipOptions extends JoinOptions {
  readonly onFailure: (error: StoreError) => void;
  readonly onRecovery: () => void;
}

interface Held {
  readonly kind: "member";
  readonly member: Member;
  readonly session: SqlSession;
  /** On both clocks: one stands still while the machine sleeps, the other one is set. */
  leaseEnd: Joined["leaseEnd"];
  /** The last one that this process has heard of. */
  revocation: number;
  hearing: Promise<void> | undefined;
  /** What the last heartbeat has told of this process, and of the others that may take outlines. */
  load: ProcessLoad;
  others: readonly Candidate[];
}

type State =
  | Held
  /** Another process may have taken the store over. Comes back by itself. */
  | { readonly kind: "lapsed"; readonly cause: StoreError }
  | { readonly kind: "closed" };

/**
 * Whether this process may serve the store, alone or what it owns beside others. It holds locks of the
 * database for as long as it lives, on a connection of its own, and says at short intervals that it is
 * there. When that connection ends, or no heartbeat is answered for a while, it must not answer from
 * memory any more: another process may have begun. Then all that it has loaded goes, and it comes in
 * again, as a process that was never there.
 */
export class Membership {
  readonly #options: MembershipOptions;
  /** Those who hold something in memory. [Q67] */
  readonly #onLapse = new Set<() => void>();
  /** The same. [Q67] */
  readonly #onNews = new Set<(news: AccountNews) => void>();
  /** The same. [Q67] */
  readonly #onRejoin = new Set<() => void>();
  #load: () => ProcessLoad = () => NOT_READY;
  #state: State;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> = Promise.resolve();

  /** @throws StoreError `store_locked`, `store_unavailable`, `store_corrupt` */
  static async open(options: MembershipOptions): Promise<Membership> {
    const giveUpAt = options.elapsed() + PATIENCE_MS;
    for (;;) {
      try {
        return new Membership(options, heldBy(await join(options, undefined)));
      } catch (error) {
        const isHeld = error instanceof StoreError && error.code === "store_locked";
        if (!isHeld || options.elapsed() > giveUpAt) throw error;
        await delay(RETRY_MS);
      }
    }
  }

  private constructor(options: MembershipOptions, held: Held) {
    this.#options = options;
    this.#state = held;
    this.#watch(held);
  }

  /** @throws StoreError `store_unavailable` while another process may serve, `store_closed` */
  require(): Member {
    if (this.holds()) return (this.#state as Held).member;
    if (this.#state.kind === "closed") throw storeClosed();
    throw this.#state.kind === "lapsed" ? this.#state.cause : silence();
  }

  /** Whether what is in memory may be served: no other process can have begun. */
  holds(): boolean {
    const state = this.#state;
    if (state.kind !== "member") return false;
    const { elapsed, now } = this.#options;
    if (elapsed() < state.leaseEnd.elapsed && now() < state.leaseEnd.now) return true;
    this.#lapse(state, silence());
    return false;
  }

  /** The callback is called when all that is in memory must go. Returns the way to stop. */
  onLapse(callback: () => void): () => void {
    const own = (): void => callback();
    this.#onLapse.add(own);
    return () => this.#onLapse.delete(own);
  }

  /** The callback is called with what any process has changed, before another one answers. */
  onNews(callback: (news: AccountNews) => void): void {
    this.#onNews.add(callback);
  }

  /** The callback is called when it may serve again: with all that is read anew. */
  onRejoin(callback: () => void): void {
    this.#onRejoin.add(callback);
  }

  /** What it tells the other processes of its load, from when it can take something. */
  tellLoad(load: () => ProcessLoad): void {
    this.#load = load;
    if (this.#state.kind === "member") this.#state.load = load();
  }

  /** Its load and those of the other processes, as of the last heartbeat. */
  get loads(): { readonly self: Candidate; readonly others: readonly Candidate[] } {
    const state = this.#state;
    if (state.kind !== "member") return { self: { process: 0, ...NOT_READY }, others: [] };
    return { self: { process: state.member.id, ...state.load }, others: state.others };
  }

  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { kind: "closed" };
    clearTimeout(this.#timer);
    await this.#underWay;
    if (state.kind !== "member") return;
    await state.session
      .query({ text: "delete from outline_store.process where id = $1" }, [state.member.id])
      .catch(() => undefined);
    await state.session.close();
  }

  #watch(held: Held): void {
    void held.session.ended.then(() => this.#lapse(held, silence()));
    held.session.onNotification(() => void this.#hear(held));
    this.#beatLater(held);
  }

  #beatLater(held: Held): void {
    this.#timer = setTimeout(() => {
      this.#underWay = this.#beat(held);
    }, this.#options.leaseMs / HEARTBEATS_IN_LEASE);
  }

  async #beat(held: Held): Promise<void> {
    if (this.#state !== held || !this.holds()) return;
    const { elapsed, now, leaseMs } = this.#options;
    const leaseEnd = { elapsed: elapsed() + leaseMs, now: now() + leaseMs };
    // When nobody answers the lease ends, whoever looks.
    const end = setTimeout(() => this.holds(), held.leaseEnd.elapsed - elapsed());
    try {
      held.load = this.#load();
      const { outlines, isFull } = held.load;
      const [seen] = await held.session.query<Beat>(BEAT, [held.member.id, outlines, isFull]);
      if (seen?.epoch !== held.member.epoch) this.#lapse(held, silence());
      // What has ended meanwhile is not taken up again.
      else if (this.holds()) {
        held.leaseEnd = leaseEnd;
        held.others = seen.others;
        // Nobody may have come to tell.
        if (seen.revocation > held.revocation) void this.#hear(held);
      }
    } catch (error) {
      this.#lapse(held, error as StoreError);
    } finally {
      clearTimeout(end);
    }
    if (this.#state === held) this.#beatLater(held);
  }

  /** Hears of what has ended, again when there is more. */
  #hear(held: Held): Promise<void> {
    const heard = (held.hearing ?? Promise.resolve()).then(() => this.#hearNow(held));
    held.hearing = heard;
    return heard;
  }

  async #hearNow(held: Held): Promise<void> {
    if (this.#state !== held) return;
    const { session, member } = held;
    try {
      for (;;) {
        const revocations = await revocationsSince(
          (...each) => session.query(...each),
          held.revocation,
        );
        const last = revocations.at(-1);
        if (last === undefined) return;
        for (const { news } of revocations) for (const call of this.#onNews) call(news);
        held.revocation = last.id;
        await session.query(HEARD, [member.id, last.id]);
      }
    } catch (error) {
      this.#lapse(held, error as StoreError);
    }
  }

  /** What has ended is never taken up again: everything is read anew. */
  #lapse(held: Held, cause: StoreError): void {
    if (this.#state !== held) return;
    this.#state = { kind: "lapsed", cause };
    clearTimeout(this.#timer);
    void held.session.close();
    this.#options.onFailure(cause);
    for (const call of this.#onLapse) call();
    this.#joinLater(RETRY_MS, held.member.id);
  }

  #joinLater(ms: number, before: number): void {
    this.#timer = setTimeout(() => {
      this.#underWay = this.#rejoin(ms, before);
    }, ms);
  }

  /** @param before what the process was, which is gone */
  async #rejoin(ms: number, before: number): Promise<void> {
    try {
      const held = heldBy(await join(this.#options, before));
      if (this.#state.kind !== "lapsed") return await held.session.close();
      held.load = this.#load();
      this.#state = held;
      this.#watch(held);
      this.#options.onRecovery();
      for (const call of this.#onRejoin) call();
    } catch (error) {
      if (this.#state.kind !== "lapsed") return;
      this.#state = { kind: "lapsed", cause: error as StoreError };
      this.#joinLater(Math.min(ms * 2, LONGEST_RETRY_MS), before);
    }
  }
}

interface Beat {
  readonly epoch: string;
  readonly revocation: number;
  readonly others: readonly Candidate[];
}

const NOT_READY: ProcessLoad = { outlines: 0, isFull: true };

/** Others that are late are no candidates any more, whether or not they still live. */
const BEAT = {
  name: "beat",
  text: `update outline_store.process
    set seen_at = clock_timestamp(), outlines = $2, is_full = $3 where id = $1
    returning (select epoch from outline_store.meta) as epoch,
      (select coalesce(max(id), 0) from outline_store.revocation) as revocation,
      (select coalesce(json_agg(json_build_object(
          'process', p.id, 'outlines', p.outlines, 'isFull', p.is_full)), '[]')
        from outline_store.process p where p.id <> $1 and not p.leaving and p.address <> ''
          and p.seen_at > statement_timestamp()
            - make_interval(secs => p.takeover_ms::float8 / 2000)) as others`,
};
const HEARD = {
  name: "heard",
  text: "update outline_store.process set revocation = $2 where id = $1",
};

function heldBy(joined: Joined): Held {
  return { kind: "member", ...joined, hearing: undefined, load: NOT_READY, others: [] };
}

function silence(): StoreError {
  return storeUnavailable(new Error("the database does not answer, and another process may serve"));
}
