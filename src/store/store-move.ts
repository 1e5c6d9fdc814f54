import type {
  AccountStore,
  KeyRecord,
  SessionRecord,
  User,
  WebhookRecord,
} from "../accounts/account-store.ts";
import type { OutlineId } from "../core/node-key.ts";
import type { LoadedOutline, OutlineLog, Receipt } from "../documents/log/outline-log.ts";

/** All that counts of an outline: its newest snapshot, what is behind it, and what is kept with it. */
export interface WholeOutline {
  readonly outline: OutlineId;
  readonly loaded: LoadedOutline;
  readonly receipts: readonly Receipt[];
}

/** A user with keys, sessions and webhooks, in the order in which they were added. */
export interface WholeUser {
  readonly user: User;
  readonly keys: readonly KeyRecord[];
  readonly sessions: readonly SessionRecord[];
  readonly webhooks: readonly WebhookRecord[];
}

/** A store that is read whole, while nobody serves it. */
export interface StoreOrigin {
  readonly name: string;
  readonly epochOrdinal: number;
  readonly log: Pick<OutlineLog, "outlines" | "load" | "receipts" | "receipt">;
  readonly accounts: MovedAccounts;
}

type MovedAccounts = Pick<AccountStore, "users" | "keysOf" | "sessionsOf" | "webhooksOf">;

/**
 * A store that is made what another one is. It is not served before it is complete; a process that is
 * killed meanwhile leaves of each outline what was there before or all of the new.
 */
export interface StoreIntake {
  readonly log: Pick<OutlineLog, "outlines" | "load" | "receipts" | "receipt" | "drop">;
  readonly accounts: MovedAccounts;
  /** Puts it in the place of what is there under its id. Numbers and bytes stay as they are. */
  putOutline(whole: WholeOutline): Promise<void>;
  /** Puts them in the place of all users that are there. */
  putUsers(users: readonly WholeUser[]): Promise<void>;
  /** From now on it can be served. It begins an epoch of its own. */
  complete(epochOrdinal: number): Promise<void>;
}
