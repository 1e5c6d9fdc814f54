import type { WebhookRecord } from "../../accounts/account-store.ts";
import type { OutlineId } from "../../core/node-key.ts";
import type { Posted } from "../outgoing/post.ts";
import { pause } from "./pause.ts";
import type { WebhookKeeper } from "./webhook-keeper.ts";
import { testMessage } from "./webhook-message.ts";
import { type DeliveryParts, WebhookRunner } from "./webhook-runner.ts";

interface DeliveriesOptions extends DeliveryParts {
  /** How often it looks for those of outlines that no process serves; without it, only at the start. */
  readonly lookEveryMs: number | undefined;
}

/** How long it waits when the store can't tell which there are. */
const TROUBLE_MS = 5_000;

/**
 * The webhooks of the outlines that this process serves. Those of an outline are looked up when it is
 * loaded, since nothing changes in one that is not; and at the start those that have something to tell
 * from before. So what this costs follows what is done, not how many there are.
 */
export class WebhookDeliveries implements WebhookKeeper {
  readonly #options: DeliveriesOptions;
  /** By the handle of the webhook. [Q110] */
  readonly #runners = new Map<string, WebhookRunner>();
  /** Those that were stopped, and all looks that are under way: one for each load of an outline. [Q110] */
  readonly #endings = new Set<Promise<void>>();
  readonly #end = new AbortController();
  #stopFollowing: () => void = () => undefined;
  #alarm: unknown;
  #isLookingForAll = false;
  #isToLookAgain = false;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** How many are looked after. */
  get size(): number {
    return this.#runners.size;
  }

  begin(): void {
    const { service, accounts, lookEveryMs } = this.#options;
    const stops = [
      service.documents.onLoaded((outline) => this.look(outline)),
      accounts.onRevoked((id) => this.#stopThoseOf(id)),
      accounts.onReplaced(() => this.#lookForAll()),
    ];
    this.#stopFollowing = () => {
      for (const stop of stops) stop();
    };
    this.#lookForAll();
    if (lookEveryMs !== undefined) this.#lookEvery(lookEveryMs);
  }

  look(outline: OutlineId): void {
    this.#add(this.#lookFor(() => this.#options.accounts.webhooks.of(outline)));
  }

  changed(webhook: WebhookRecord): void {
    this.#see([webhook]);
    this.#runners.get(webhook.id)?.poke();
  }

  async test(webhook: WebhookRecord): Promise<Posted | undefined> {
    const { gate, poster, service } = this.#options;
    if (!gate.hasPlace(webhook.user)) return undefined;
    const message = testMessage(webhook, service.now());
    return gate.pass(webhook.user, () =>
      poster.post({ ...message, url: new URL(webhook.url), signal: this.#end.signal }),
    );
  }

  /** Breaks off what is under way. Resolves when nothing goes on any more. */
  async close(): Promise<void> {
    this.#end.abort();
    this.#stopFollowing();
    this.#options.timers.clearTimeout(this.#alarm);
    for (const runner of this.#runners.values()) runner.stop();
    await Promise.all(this.#endings);
  }

  get #isClosed(): boolean {
    return this.#end.signal.aborted;
  }

  #lookEvery(ms: number): void {
    this.#alarm = this.#options.timers.setTimeout(() => {
      this.#lookForAll();
      this.#lookEvery(ms);
    }, ms);
  }

  #lookForAll(): void {
    this.#isToLookAgain = true;
    if (!this.#isLookingForAll) this.#add(this.#lookForAllNow());
  }

  async #lookForAllNow(): Promise<void> {
    this.#isLookingForAll = true;
    while (this.#isToLookAgain && !this.#isClosed) {
      this.#isToLookAgain = false;
      await this.#lookFor(() => this.#options.accounts.webhooks.behind());
    }
    this.#isLookingForAll = false;
  }

  /** Again and again, as long as the store can't tell. */
  async #lookFor(find: () => Promise<readonly WebhookRecord[]>): Promise<void> {
    while (!this.#isClosed) {
      const found = await find().catch(() => undefined);
      if (found !== undefined) return this.#see(found);
      await pause(this.#options.timers, TROUBLE_MS, this.#end.signal);
    }
  }

  #see(webhooks: readonly WebhookRecord[]): void {
    for (const webhook of webhooks) {
      const { id, off } = webhook;
      const isSeenTo = this.#runners.get(id)?.isOver === false;
      if (this.#isClosed || off !== undefined || isSeenTo) continue;
      const runner = new WebhookRunner(webhook, this.#options);
      this.#runners.set(id, runner);
      const ended = (): void => {
        if (this.#runners.get(id) === runner) this.#runners.delete(id);
      };
      this.#add(runner.done.then(ended));
    }
  }

  #add(work: Promise<void>): void {
    const ending = work.finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  #stopThoseOf(keyId: string): void {
    for (const runner of this.#runners.values()) if (runner.keyId === keyId) runner.stop();
  }
}
