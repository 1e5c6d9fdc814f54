import type { AccountNews } from "../../accounts/account-store.ts";
import { StoreError } from "../../documents/log/outline-log.ts";
import { reasonOf, storeClosed, storeUnavailable } from "../store-failure.ts";
import type { Joined, OwnSession } from "./joining.ts";
import type { Member } from "./member.ts";
import { LIVES } from "./owners.ts";
import { type Alarms, pause } from "./pause.ts";
import { revocationsSince } from "./revocations.ts";
import type { Candidate, ProcessLoad } from "./spread.ts";
import { GOODBYE_MS } from "./sql-session.ts";

const HEARTBEATS_IN_LEASE = 8;
/** By less than that the two clocks drift apart within a lease. */
const MOST_SET_BACK_MS = 100;
/** How long a start waits for one that is just ending. */
const PATIENCE_MS = 2000;
const RETRY_MS = 100;
const LONGEST_RETRY_MS = 5000;

export interface MembershipOptions {
  /**
   * Comes in. @param before what the process was when it served before
   * @throws StoreError as `join` of `joining.ts`
   */
  readonly join: (before: number | undefined) => Promise<Joined>;
  readonly leaseMs: number;
  /** Milliseconds since 1970, and of a clock that nobody sets. */
  readonly now: () => number;
  readonly elapsed: () => number;
  readonly alarms: Alarms;
  readonly onFailure: (error: StoreError) => void;
  readonly onRecovery: () => void;
}

interface Held {
  readonly kind: "member";
  readonly member: Member;
  readonly session: OwnSession;
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
  /** What the process was when it came in first: the name and the secret of the store stay. */
  readonly first: Member;
  readonly #options: MembershipOptions;
  /** Those who hold something in memory. [Q67] */
  readonly #onLapse = new Set<(cause: StoreError) => void>();
  /** The same. [Q67] */
  readonly #onNews = new Set<(news: AccountNews) => void>();
  /** The same. [Q67] */
  readonly #onRejoin = new Set<() => void>();
  #load: () => ProcessLoad = () => NOT_READY;
  #heartbeatMs = 0;
  #state: State;
  #timer: unknown;
  #underWay: Promise<void> = Promise.resolve();

  /** @throws StoreError `store_locked`, `store_unavailable`, `store_corrupt` */
  static async open(options: MembershipOptions): Promise<Membership> {
    const giveUpAt = options.elapsed() + PATIENCE_MS;
    for (;;) {
      try {
        return new Membership(options, heldBy(await options.join(undefined)));
      } catch (error) {
        const isHeld = error instanceof StoreError && error.code === "store_locked";
        if (!isHeld || options.elapsed() > giveUpAt) throw ofStart(error);
        await pause(options.alarms, RETRY_MS);
      }
    }
  }

  private constructor(options: MembershipOptions, held: Held) {
    this.first = held.member;
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
    if (this.#isWithin(state.leaseEnd)) return true;
    this.#lapse(state, silence());
    return false;
  }

  /**
   * By both clocks, which have to agree: one stands still while the machine sleeps, and the other one may
   * have been set back meanwhile.
   */
  #isWithin(end: Joined["leaseEnd"]): boolean {
    const elapsedMs = end.elapsed - this.#options.elapsed();
    const nowMs = end.now - this.#options.now();
    return elapsedMs > 0 && nowMs > 0 && nowMs - elapsedMs < MOST_SET_BACK_MS;
  }

  /** The callback is called when all that is in memory must go. Returns the way to stop. */
  onLapse(callback: (cause: StoreError) => void): () => void {
    const own = (cause: StoreError): void => callback(cause);
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

  /** How long the last heartbeat took until the database, and its standbys, had it. */
  get heartbeatMs(): number {
    return this.#heartbeatMs;
  }

  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { kind: "closed" };
    const { alarms } = this.#options;
    alarms.clearTimeout(this.#timer);
    if (state.kind === "member") {
      const { session, member } = state;
      const forgotten = this.#underWay.then(() => session.query(FORGET, [member.id]));
      await this.#withinGoodbye(forgotten.catch(() => undefined));
      await session.close();
    }
    await this.#underWay;
  }

  /** Resolves with something that is done for others, or when it takes too long. */
  async #withinGoodbye(work: Promise<unknown>): Promise<void> {
    const { alarms } = this.#options;
    let tooLong: unknown;
    const deadline = new Promise<void>((resolve) => {
      tooLong = alarms.setTimeout(resolve, GOODBYE_MS);
    });
    await Promise.race([work, deadline]);
    alarms.clearTimeout(tooLong);
  }

  #watch(held: Held): void {
    void held.session.ended.then(() => this.#lapse(held, silence()));
    held.session.onNotification(() => void this.#hear(held));
    this.#beatLater(held);
  }

  #beatLater(held: Held): void {
    const { alarms, leaseMs } = this.#options;
    this.#timer = alarms.setTimeout(() => {
      this.#underWay = this.#beat(held);
    }, leaseMs / HEARTBEATS_IN_LEASE);
  }

  async #beat(held: Held): Promise<void> {
    if (this.#state !== held || !this.holds()) return;
    const { elapsed, now, leaseMs } = this.#options;
    const leaseEnd = { elapsed: elapsed() + leaseMs, now: now() + leaseMs };
    const stop = this.#noticeEnd(held);
    try {
      held.load = this.#load();
      const { outlines, isFull } = held.load;
      const sentAt = elapsed();
      const [seen] = await held.session.query<Beat>(BEAT, [held.member.id, outlines, isFull]);
      this.#heartbeatMs = elapsed() - sentAt;
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
      stop();
    }
    if (this.#state === held) this.#beatLater(held);
  }

  /** When nobody answers the lease ends, whoever looks. Returns the way to stop. */
  #noticeEnd(held: Held): () => void {
    const { elapsed, alarms } = this.#options;
    let alarm: unknown;
    const look = (): void => {
      if (this.#state === held && this.holds()) lookLater();
    };
    const lookLater = (): void => {
      // A timer may be early by a part of a millisecond: then there is another one.
      alarm = alarms.setTimeout(look, Math.max(1, held.leaseEnd.elapsed - elapsed()));
    };
    lookLater();
    return () => alarms.clearTimeout(alarm);
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
        const revocations = await revocationsSince(session, held.revocation);
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
    this.#options.alarms.clearTimeout(this.#timer);
    void held.session.close();
    this.#options.onFailure(cause);
    for (const call of this.#onLapse) call(cause);
    this.#joinLater(RETRY_MS, held.member.id);
  }

  #joinLater(ms: number, before: number): void {
    this.#timer = this.#options.alarms.setTimeout(() => {
      this.#underWay = this.#rejoin(ms, before);
    }, ms);
  }

  /** @param before what the process was, which is gone */
  async #rejoin(ms: number, before: number): Promise<void> {
    try {
      const held = heldBy(await this.#options.join(before));
      if (this.#state.kind !== "lapsed") return await held.session.close();
      held.load = this.#load();
      this.#state = held;
      this.#watch(held);
      this.#options.onRecovery();
      for (const call of this.#onRejoin) call();
    } catch (error) {
      if (this.#state.kind !== "lapsed") return;
      const cause = error as StoreError;
      // Once for each reason: why it can't come back may be another one than why it has gone.
      if (cause.message !== this.#state.cause.message) this.#options.onFailure(cause);
      this.#state = { kind: "lapsed", cause };
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

/** Others that are late are no candidates any more, though they may live still. */
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
            - make_interval(secs => p.takeover_ms::float8 / 2000)
          and ${LIVES}) as others`,
};
const FORGET = { name: "forget process", text: "delete from outline_store.process where id = $1" };
const HEARD = {
  name: "heard",
  text: "update outline_store.process set revocation = $2 where id = $1",
};

/** In words for whoever starts it. */
function ofStart(error: unknown): unknown {
  if (!(error instanceof StoreError) || error.cause === undefined) return error;
  const { code, cause } = error;
  return new StoreError(code, `The database can't be used: ${reasonOf(cause)}.`, { cause });
}

function heldBy(joined: Joined): Held {
  return { kind: "member", ...joined, hearing: undefined, load: NOT_READY, others: [] };
}

function silence(): StoreError {
  return storeUnavailable(new Error("the database does not answer, and another process may serve"));
}
