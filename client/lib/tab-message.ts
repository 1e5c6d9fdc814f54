import type { OwnEdit } from "./outbox.ts";
import type { Contact } from "./status-of.ts";
import type { Disconnection } from "./status.ts";
import type { ReplicaPosition, StoredLease } from "./store/replica-store.ts";

/** What tabs of one store tell each other. They are of one build, and trust each other. */
export type TabMessage =
  /** A tab has opened and wants to know how it stands; the leader answers with `standing`. */
  | { readonly kind: "opened" }
  /** Edits of a tab, stored or failing to be. */
  | { readonly kind: "own"; readonly edits: readonly OwnEdit[] }
  /** The leader has it from the server. */
  | {
      readonly kind: "received";
      readonly update: Uint8Array;
      readonly position: ReplicaPosition;
    }
  /** The server has these. */
  | { readonly kind: "settled"; readonly edits: readonly Pick<OwnEdit, "token" | "number">[] }
  | {
      readonly kind: "standing";
      readonly contact: Contact;
      readonly obstacle: Disconnection | undefined;
      readonly position: ReplicaPosition;
    }
  /** A tab has no client id of its own: the leader asks for one. */
  | { readonly kind: "lease_wanted" }
  | { readonly kind: "leases"; readonly leases: readonly StoredLease[] }
  /** A person wants to connect now. */
  | { readonly kind: "connect" }
  /** Another replica is in the store, with these edits in it, written anew. */
  | { readonly kind: "replaced"; readonly included: readonly string[] };

const KINDS: ReadonlySet<unknown> = new Set<TabMessage["kind"]>([
  "opened",
  "own",
  "received",
  "settled",
  "standing",
  "lease_wanted",
  "leases",
  "connect",
  "replaced",
]);

/** Whether something that was posted is one of ours: tabs of an older build may say other things. */
export function isTabMessage(message: unknown): message is TabMessage {
  return (
    typeof message === "object" && message !== null && "kind" in message && KINDS.has(message.kind)
  );
}
