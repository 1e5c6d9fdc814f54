import { createHash } from "node:crypto";

import type { Author } from "../documents/author.ts";
import type { Lease, LeaseClaim, LeaseGrantCause } from "../protocol/message.ts";
import { readStateVector } from "../protocol/state-vector.ts";
import type { SyncDocument } from "./sync-document.ts";

/** A live session, as leases see it. */
export interface LeaseHolder {
  readonly author: Author;
  readonly canWrite: boolean;
  /** What the client's process said of itself; two sessions of one process say the same. */
  readonly instance: string;
  /** Finds out whether the connection still lives. Anybody may cause it, so often as they like. */
  probe(): void;
  /** The same process has come again: this connection is of no use any more. */
  supersede(): void;
}

interface HeldLease {
  readonly holder: LeaseHolder;
  readonly secretHash: string;
}

/** No id can be leased now: who has asked for one goes on without, who can't use theirs comes later. */
export class NoLeaseError extends Error {
  override readonly name = "NoLeaseError";
  readonly code = "no_lease";
}

/**
 * Which of an outline's sessions writes under which leased client id: one at a time, and none whose
 * store is an older copy, since an id that is used twice corrupts documents without a sign.
 */
export class RoomLeases {
  /** As many as the sessions have asked for, which is bounded for each [Q58]. */
  readonly #held = new Map<number, HeldLease>();

  /** A new client id, bound to the secret; denied when there is none for now. */
  async request(document: SyncDocument, holder: LeaseHolder, secret: Uint8Array): Promise<Lease> {
    try {
      return await this.#grant(document, holder, hashOf(secret), "requested");
    } catch (error) {
      if (error instanceof NoLeaseError) return { kind: "lease_denied" };
      throw error;
    }
  }

  /**
   * The claimed client id, or a new one when this store may not use it, or not now.
   * @throws NoLeaseError when it needs a new one and there is none
   */
  async claim(document: SyncDocument, holder: LeaseHolder, claim: LeaseClaim): Promise<Lease> {
    if (!holder.canWrite) return { kind: "lease_denied" };
    const { client } = claim;
    const secretHash = hashOf(claim.secret);
    const held = this.#held.get(client);
    if (held !== undefined && held.holder !== holder) {
      if (held.secretHash !== secretHash || held.holder.instance !== holder.instance) {
        held.holder.probe();
        return this.#grant(document, holder, secretHash, "in_use");
      }
      held.holder.supersede();
    }
    const clock = readStateVector(document.stateVector())?.get(client) ?? 0;
    if (claim.clock < clock) return this.#grant(document, holder, secretHash, "behind");
    if (document.claim(client, holder.author, secretHash) === "unknown") {
      return this.#grant(document, holder, secretHash, "unknown");
    }
    // What was written under it last may be lost, and others may bring it back.
    if (document.isOfEarlierHistory(client)) {
      return this.#grant(document, holder, secretHash, "behind");
    }
    this.#held.set(client, { holder, secretHash });
    return { kind: "lease_kept", client, clock };
  }

  /** The document was opened again: it learns who writes under which id. */
  renew(document: SyncDocument): void {
    for (const [client, { holder, secretHash }] of this.#held) {
      document.claim(client, holder.author, secretHash);
    }
  }

  leave(holder: LeaseHolder): void {
    for (const [client, held] of this.#held) {
      if (held.holder === holder) this.#held.delete(client);
    }
  }

  async #grant(
    document: SyncDocument,
    holder: LeaseHolder,
    secretHash: string,
    cause: LeaseGrantCause,
  ): Promise<Lease> {
    if (!holder.canWrite) return { kind: "lease_denied" };
    const client = await document.lease(holder.author, secretHash);
    if (typeof client === "string") throw new NoLeaseError(`no client id to lease: ${client}`);
    this.#held.set(client, { holder, secretHash });
    return { kind: "lease_granted", client, cause };
  }
}

function hashOf(secret: Uint8Array): string {
  return createHash("sha256").update(secret).digest("hex");
}
