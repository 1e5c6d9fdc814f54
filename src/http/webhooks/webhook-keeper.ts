import type { WebhookRecord } from "../../accounts/account-store.ts";
import type { OutlineId } from "../../core/node-key.ts";
import type { Posted } from "../outgoing/post.ts";

/** Sees to it that webhooks are delivered, as far as operations have to do with that. */
export interface WebhookKeeper {
  /** Sees to those of an outline that deliver. */
  look(outline: OutlineId): void;
  /** The record of one was changed: it is looked at anew. */
  changed(webhook: WebhookRecord): void;
  /**
   * Sends a message that says nothing.
   * @returns undefined when too many are under way for the user, or in all
   */
  test(webhook: WebhookRecord): Promise<Posted | undefined>;
}
