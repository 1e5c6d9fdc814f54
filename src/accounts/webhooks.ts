import type { OutlineId } from "../core/node-key.ts";
import type { AccountStore, WebhookRecord } from "./account-store.ts";
import { randomLetters, type RandomBytes } from "./api-key.ts";
import type { Principal } from "./principal.ts";

/** Webhooks of a user: one more is refused. */
export const MOST_WEBHOOKS = 20;

const SECRET_BYTES = 32;

/** What whoever makes a webhook says of it, and where it begins. */
export type NewWebhook = Pick<
  WebhookRecord,
  "name" | "url" | "root" | "kinds" | "fields" | "cursor"
>;

export type MadeWebhook =
  | { readonly kind: "made"; readonly webhook: WebhookRecord }
  /** The user has as many as may be. */
  | { readonly kind: "full" }
  /** The key or session that makes it has ended. */
  | { readonly kind: "ended" };

/** What may change of a webhook. */
type Changeable =
  | "name"
  | "url"
  | "kinds"
  | "fields"
  | "cursor"
  | "reached"
  | "deliveredAt"
  | "failing"
  | "off";

export interface WebhooksOptions {
  readonly store: AccountStore;
  /** Milliseconds since 1970. */
  now(): number;
  readonly randomBytes: RandomBytes;
}

/** Where programs are told of what changes. Who delivers it is not of concern here. */
export class Webhooks {
  readonly #options: WebhooksOptions;

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  /** In the order in which they were made. */
  of(outline: OutlineId): Promise<readonly WebhookRecord[]> {
    return this.#options.store.webhooksOf(outline);
  }

  async find(outline: OutlineId, id: string): Promise<WebhookRecord | undefined> {
    return (await this.of(outline)).find((webhook) => webhook.id === id);
  }

  /** Makes one that ends with the maker's key. */
  async make(maker: Principal, input: NewWebhook): Promise<MadeWebhook> {
    const { store, randomBytes } = this.#options;
    const { user, outline, keyId } = maker;
    const key = (await store.keysOf(user)).find(({ id }) => id === keyId);
    if (key === undefined) return { kind: "ended" };
    const secret = Buffer.from(randomBytes(SECRET_BYTES)).toString("base64");
    const webhook: WebhookRecord = {
      ...input,
      id: `hook_${randomLetters(16, randomBytes)}`,
      user,
      outline,
      keyId,
      keyHash: key.hash,
      secret: `whsec_${secret}`,
      createdAt: Math.floor(this.#options.now() / 1000),
      revision: 0,
    };
    const added = await store.addWebhook(webhook, maker, MOST_WEBHOOKS);
    if (added === "added") return { kind: "made", webhook };
    return { kind: added === "full" ? "full" : "ended" };
  }

  /**
   * Puts other values into a record; `undefined` takes one out.
   * @returns the record; undefined when it is not what it was any more
   */
  async change(
    webhook: WebhookRecord,
    values: { readonly [K in Changeable]?: WebhookRecord[K] | undefined },
  ): Promise<WebhookRecord | undefined> {
    const revision = webhook.revision + 1;
    const fields = Object.entries({ ...webhook, ...values, revision });
    // Nobody takes out what is not optional.
    const changed = Object.fromEntries(
      fields.filter(([, value]) => value !== undefined),
    ) as unknown as WebhookRecord;
    return (await this.#options.store.changeWebhook(changed)) ? changed : undefined;
  }

  /** False when there is none such. */
  remove(webhook: Pick<WebhookRecord, "user" | "outline" | "id">): Promise<boolean> {
    return this.#options.store.removeWebhook(webhook);
  }

  /** See `AccountStore`. */
  behind(): Promise<readonly WebhookRecord[]> {
    return this.#options.store.webhooksBehind();
  }
}
