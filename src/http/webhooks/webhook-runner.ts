import { createHash } from "node:crypto";
import type { UserId, WebhookRecord } from "../../accounts/account-store.ts";
import type { Accounts } from "../../accounts/accounts.ts";
import { TAKEN_OVER } from "../../documents/replica/document-listener.ts";
import type { FairGate } from "../../documents/turns/fair-gate.ts";
import { StoreError } from "../../documents/log/outline-log.ts";
import { UnavailableError } from "../../documents/log/unavailable-error.ts";
import type { OutlineId } from "../../core/node-key.ts";
import type { Poster, Posted } from "../outgoing/post.ts";
import { type Alarms, News } from "../changes/news.ts";
import { type Problem, ProblemError } from "../problem.ts";
import type { StreamingService } from "../service.ts";
import { nextAttempt, untilNext } from "./retries.ts";
import { nextMessage, type Standing } from "./webhook-message.ts";

/** What webhooks are delivered with. */
export interface DeliveryParts {
  readonly service: StreamingService;
  readonly accounts: Accounts;
  readonly poster: Poster;
  readonly gate: FairGate<UserId>;
  readonly timers: Alarms;
  /** Whether this process serves an outline. */
  readonly isHere: (outline: OutlineId) => Promise<boolean>;
  /** A delivery has come to an end. */
  readonly onDelivery: (outcome: "delivered" | "failed" | "switched_off") => void;
  readonly onDefect: (error: unknown) => void;
}

/** What follows a look at a webhook. */
type Step =
  | { readonly kind: "again" }
  /** As soon as something changes, and no later than that. */
  | { readonly kind: "wait_for_changes"; readonly ms?: number }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "end" };

/** What changes within that time of the first change is told together. */
const JOINED_MS = 1_000;
/** How long it may go unwritten that there was nothing to tell: so long it may be found out once more. */
const UNWRITTEN_MS = 30_000;
/** When the service itself can't tell what has changed; longer each time. */
const TROUBLE_MS = 5_000;
const MOST_TROUBLES = 6;
const GONE = 410;

const AGAIN: Step = { kind: "again" };
const END: Step = { kind: "end" };

const NO_NODE = "The node that it tells of is not there any more.";
const NO_KEY = "The API key that made it has expired.";
const SAID_GONE = "The receiver says that it is gone for good (410).";

/**
 * Delivers what one webhook has to tell, one message after the other: where it stands is written down
 * when a message has arrived, and not before. So each change is told at least once, in order.
 */
export class WebhookRunner {
  /** Resolves when nothing of it goes on any more. */
  readonly done: Promise<void>;
  readonly keyId: string;
  readonly #webhook: Pick<WebhookRecord, "id" | "outline" | "user">;
  readonly #parts: DeliveryParts;
  readonly #end = new AbortController();
  readonly #news: News;
  #isPoked = false;
  #hasEnded = false;
  /** How far it has come without anything to tell, of what revision, and since when that is unwritten. */
  #ahead: (Standing & { readonly revision: number; readonly since: number }) | undefined;
  #troubles = 0;

  constructor(webhook: WebhookRecord, parts: DeliveryParts) {
    this.#webhook = webhook;
    this.keyId = webhook.keyId;
    this.#parts = parts;
    this.#news = new News(parts.timers);
    const stopFollowing = parts.service.documents.subscribe(webhook.outline, {
      onDurable: () => this.#news.come(),
      onLost: (reason) => {
        if (reason === TAKEN_OVER) this.stop();
        else this.#news.come();
      },
    });
    this.done = this.#run().finally(stopFollowing);
  }

  /** Its record has changed: it looks at once, however long it wanted to wait. */
  poke(): void {
    this.#isPoked = true;
    this.#news.wake();
  }

  /** Breaks off what it does. */
  stop(): void {
    this.#end.abort();
    this.#news.leave();
  }

  /** Whether it does nothing more, but for what it breaks off. */
  get isOver(): boolean {
    return this.#hasEnded || this.#isStopped;
  }

  get #isStopped(): boolean {
    return this.#end.signal.aborted;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#isPoked = false;
      const step = await this.#step().catch((error: unknown) => this.#stepAfter(error));
      // Switched on again meanwhile: then it has not ended.
      if (this.#isPoked) continue;
      this.#hasEnded = step.kind === "end";
      if (this.#hasEnded) return;
      if (step.kind === "wait") await this.#news.pause(step.ms);
      if (step.kind === "wait_for_changes") await this.#untilChanged(step.ms);
    }
  }

  async #untilChanged(ms: number | undefined): Promise<void> {
    const hasChanged = await this.#news.next(ms);
    if (hasChanged && !this.#isPoked) await this.#news.pause(JOINED_MS);
  }

  async #step(): Promise<Step> {
    const { accounts, service, gate, isHere } = this.#parts;
    const { id, outline, user } = this.#webhook;
    const stored = await accounts.webhooks.find(outline, id);
    if (stored === undefined || stored.off !== undefined || !(await isHere(outline))) return END;
    const ms = untilNext(stored.failing, service.now());
    if (ms > 0) return { kind: "wait", ms };
    return gate.pass(user, () => (this.#isStopped ? END : this.#tellNext(stored)));
  }

  async #tellNext(stored: WebhookRecord): Promise<Step> {
    const { accounts, service, poster } = this.#parts;
    const principal = await accounts.ofKey(stored.keyHash);
    if (principal === undefined) return this.#switchOff(stored, NO_KEY);
    this.#news.forget();
    const ahead = this.#ahead?.revision === stored.revision ? this.#ahead : undefined;
    const { cursor, reached } = ahead ?? stored;
    const { reached: _isKnownBetter, ...others } = stored;
    const webhook = { ...others, cursor, ...(reached && { reached }) };
    const next = await nextMessage(service, webhook, principal);
    if (next.kind === "problem") return this.#stepAfterProblem(stored, next);
    this.#troubles = 0;
    if (next.kind === "nothing") return this.#hadNothing(stored, next.after);
    const { message, after } = next;
    let posted: Posted;
    try {
      const signal = AbortSignal.any([message.signal, this.#end.signal]);
      posted = await poster.post({ ...message, url: new URL(stored.url), signal });
    } finally {
      message.release();
    }
    // Broken off, which says nothing of the receiver.
    if (posted.kind === "failed" && this.#isStopped) return END;
    if (posted.kind === "failed" && message.signal.aborted) return this.#inTrouble();
    return this.#wasPosted(stored, posted, after);
  }

  async #wasPosted(stored: WebhookRecord, posted: Posted, after: Standing): Promise<Step> {
    const { accounts, service, onDelivery } = this.#parts;
    const isDelivered = isSuccess(posted);
    onDelivery(isDelivered ? "delivered" : "failed");
    if (isDelivered) {
      const deliveredAt = Math.floor(service.now() / 1000);
      await this.#moveOn(stored, { ...after, deliveredAt, failing: undefined });
      return after.reached === undefined ? AGAIN : { kind: "wait_for_changes" };
    }
    if (posted.kind === "answered" && posted.status === GONE) {
      return this.#switchOff(stored, SAID_GONE);
    }
    const error = wordsFor(posted);
    const now = service.now();
    const failing = nextAttempt(stored.failing, { error, now, spread: spreadOf(stored) });
    if (failing === undefined) {
      return this.#switchOff(
        stored,
        `For three days nothing has arrived. The last time: ${error}.`,
      );
    }
    // Changed meanwhile: it is looked at anew.
    await accounts.webhooks.change(stored, { failing });
    return AGAIN;
  }

  /** Nothing has to arrive for that, so it may be written down later. */
  async #hadNothing(stored: WebhookRecord, after: Standing): Promise<Step> {
    const now = this.#parts.service.now();
    const { cursor, reached } = after;
    const isWritten =
      stored.cursor === cursor &&
      stored.reached?.head === reached?.head &&
      stored.reached?.epoch === reached?.epoch;
    if (isWritten) {
      this.#ahead = undefined;
      return { kind: "wait_for_changes" };
    }
    const since = this.#ahead?.since ?? now;
    if (reached !== undefined && Math.abs(now - since) >= UNWRITTEN_MS) {
      await this.#moveOn(stored, after);
      return AGAIN;
    }
    this.#ahead = { ...after, revision: stored.revision, since };
    return reached === undefined ? AGAIN : { kind: "wait_for_changes", ms: UNWRITTEN_MS };
  }

  /** Writes down where it stands now, whatever else was changed of it, unless that was. */
  async #moveOn(
    from: WebhookRecord,
    values: Standing &
      Pick<Partial<WebhookRecord>, "deliveredAt"> & { readonly failing?: undefined },
  ): Promise<void> {
    const { webhooks } = this.#parts.accounts;
    this.#ahead = undefined;
    for (let stored: WebhookRecord | undefined = from; stored?.cursor === from.cursor;) {
      if ((await webhooks.change(stored, values)) !== undefined) return;
      stored = await webhooks.find(from.outline, from.id);
    }
  }

  async #switchOff(stored: WebhookRecord, off: string): Promise<Step> {
    const changed = await this.#parts.accounts.webhooks.change(stored, { off });
    if (changed === undefined) return AGAIN;
    this.#parts.onDelivery("switched_off");
    return END;
  }

  #stepAfterProblem(stored: WebhookRecord, { code }: Problem): Promise<Step> | Step {
    if (code === "not_found") return this.#switchOff(stored, NO_NODE);
    // The key has ended just now, as the next look sees.
    return code === "unauthorized" ? AGAIN : this.#inTrouble();
  }

  #stepAfter(error: unknown): Step {
    if (error instanceof ProblemError && error.problem.code === "unauthorized") return AGAIN;
    const isExpected =
      error instanceof ProblemError ||
      error instanceof UnavailableError ||
      error instanceof StoreError;
    if (!isExpected) this.#parts.onDefect(error);
    return this.#inTrouble();
  }

  #inTrouble(): Step {
    this.#troubles = Math.min(this.#troubles + 1, MOST_TROUBLES);
    return { kind: "wait", ms: TROUBLE_MS * 2 ** (this.#troubles - 1) };
  }
}

export function isSuccess(posted: Posted): boolean {
  return posted.kind === "answered" && posted.status >= 200 && posted.status < 300;
}

/** Why a message has not arrived, for people; without a full stop. */
export function wordsFor(posted: Posted): string {
  if (posted.kind === "failed") return posted.reason;
  const { status } = posted;
  const isElsewhere = status >= 300 && status < 400;
  return `it was answered ${status}${isElsewhere ? ": redirects are not followed" : ""}`;
}

/** From 0 to 1, another one for each webhook. */
function spreadOf({ id }: WebhookRecord): number {
  return (createHash("sha256").update(id).digest()[0] ?? 0) / 255;
}
