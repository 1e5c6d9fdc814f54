import type { Author } from "../documents/author.ts";
import { isSeedClient } from "../core/month-seed.ts";
import type { IdAnswer, IdClaim, IdGrantCause } from "../protocol/message.ts";
import type { SyncDocument } from "./sync-document.ts";

/** A live session, as claims see it. */
export interface ClaimHolder {
  readonly author: Author;
  readonly canWrite: boolean;
  /** What the client's process said of itself; two sessions of one process say the same. */
  readonly instance: string;
  /** Whether its replica was last here before a backup was put back. */
  readonly isOfOtherHistory: boolean;
  /** Finds out whether the connection still lives. Anybody may cause it, so often as they like. */
  probe(): void;
  /** The same process has come again: this connection is of no use any more. */
  supersede(): void;
}

/**
 * Which of an outline's sessions writes under which client id: one at a time, and none whose store is
 * an older copy, since an id that is used twice corrupts documents without a sign. What nobody holds
 * anybody may write under who may write at all.
 */
export class RoomClaims {
  /** As many as the sessions have asked for, which is bounded for each [Q58]. */
  readonly #held = new Map<number, ClaimHolder>();

  /** The claimed client id, or another when this store may not use it, or not now. */
  claim(document: SyncDocument, holder: ClaimHolder, { client, clock }: IdClaim): IdAnswer {
    if (!holder.canWrite) return { kind: "id_denied" };
    const held = this.#held.get(client);
    if (held !== undefined && held !== holder) {
      if (held.instance !== holder.instance) {
        held.probe();
        return this.grant(document, holder, "in_use");
      }
      held.supersede();
    }
    const known = document.clockOf(client);
    // What was written under it last may be lost, and others may bring it back.
    if (clock < known || holder.isOfOtherHistory) return this.grant(document, holder, "behind");
    if (isSeedClient(client) || document.isClientOf(client, holder.author) === false) {
      return this.grant(document, holder, "unknown");
    }
    this.#held.set(client, holder);
    document.expectDevice(client, holder.author);
    return { kind: "id_kept", client, clock: known };
  }

  /** A client id that nobody has. */
  grant(document: SyncDocument, holder: ClaimHolder, cause: IdGrantCause): IdAnswer {
    if (!holder.canWrite) return { kind: "id_denied" };
    const client = document.newClient();
    this.#held.set(client, holder);
    document.expectDevice(client, holder.author);
    return { kind: "id_granted", client, cause };
  }

  /** Whether a client id is the author's alone; undefined when nobody holds it. */
  isOf(client: number, author: Author): boolean | undefined {
    const holder = this.#held.get(client);
    return holder === undefined ? undefined : holder.author.session === author.session;
  }

  leave(holder: ClaimHolder): void {
    for (const [client, held] of this.#held) {
      if (held === holder) this.#held.delete(client);
    }
  }
}
