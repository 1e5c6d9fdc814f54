import type { EditName, OwnEdit } from "./outbox.ts";
import type { Contact } from "./status-of.ts";
import type { Disconnection } from "./status.ts";
import type { ClientChange } from "./store/client-changes.ts";
import type { ReplicaPosition } from "./store/replica-store.ts";

/** What tabs of one store tell each other. They are of one build, and trust each other. */
export type TabMessage =
  /** A tab has opened: the leader answers with `standing`, then with `stored` or `complete`. */
  | { readonly kind: "opened" }
  /** Edits of a tab, stored or failing to be. */
  | { readonly kind: "own"; readonly generation: string; readonly edits: readonly OwnEdit[] }
  /** The leader has it from the server. */
  | {
      readonly kind: "received";
      readonly update: Uint8Array;
      readonly position: ReplicaPosition;
    }
  /** The store has everything up to there, for tabs that did not hear of it. */
  | { readonly kind: "stored"; readonly position: ReplicaPosition }
  /** The store could not be read: the leader is to tell what it has. */
  | { readonly kind: "state_wanted" }
  /** The leader has told everything up to there, for tabs that can't read it in the store. */
  | { readonly kind: "complete"; readonly position: ReplicaPosition }
  /** The server has these. */
  | {
      readonly kind: "settled";
      readonly edits: readonly EditName[];
      readonly position: ReplicaPosition;
    }
  /** The server has these, as was told before they were stored; who has read the store thinks them unsent. */
  | { readonly kind: "settled_before"; readonly edits: readonly EditName[] }
  /** How it stands with the server. */
  | {
      readonly kind: "standing";
      readonly generation: string;
      readonly contact: Contact;
      readonly obstacle: Disconnection | undefined;
      /** Tokens, as in `replaced`, when what it has is not in the store yet. */
      readonly unstored: readonly string[] | undefined;
    }
  | { readonly kind: "clients"; readonly changes: readonly ClientChange[] }
  /** How far the server's clock is ahead of the device's. */
  | { readonly kind: "clock"; readonly offsetMs: number }
  /** A person wants to connect now. */
  | { readonly kind: "connect" }
  /** Another replica is in the store, with these edits in it, written anew. */
  | {
      readonly kind: "replaced";
      readonly generation: string;
      readonly included: readonly string[];
    };

/** Another replica in the store, as its leader tells it; without a generation when it has not. */
export interface Replacement {
  readonly generation: string | undefined;
  /** Tokens of the edits that are in it, written anew. */
  readonly included: readonly string[];
}

/** All kinds, and whether only the tab that leads says so. */
const IS_OF_LEADER: Readonly<Record<TabMessage["kind"], boolean>> = {
  opened: false,
  own: false,
  received: true,
  stored: true,
  state_wanted: false,
  complete: true,
  settled: true,
  settled_before: false,
  standing: true,
  clients: false,
  connect: false,
  clock: true,
  replaced: false,
};

/** Whether something that was posted is one of ours: tabs of another build may say other things. */
export function isTabMessage(message: unknown): message is TabMessage {
  if (typeof message !== "object" || message === null || !("kind" in message)) return false;
  return typeof message.kind === "string" && Object.hasOwn(IS_OF_LEADER, message.kind);
}

/** Whether only the tab that leads says so. */
export function isOfLeader({ kind }: TabMessage): boolean {
  return IS_OF_LEADER[kind];
}
