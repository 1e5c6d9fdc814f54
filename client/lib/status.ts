import type { StoreFailure } from "./store/replica-store.ts";

/** Why the server does not have what was done here. */
export type Disconnection =
  /** Nothing answers; it is tried again. */
  | "unreachable"
  /** The server is there and can't save now; it is tried again. */
  | "unavailable"
  /** The key is missing, was revoked or has expired: somebody has to sign in. */
  | "signed_out"
  /** The key may only read. */
  | "read_only"
  /** The server speaks or stores a newer version: this program has to be renewed. */
  | "outdated"
  /** The server refused edits, which stay on this device. */
  | "refused"
  /** The outline is full: edits stay on this device until there is room for them; it is tried again. */
  | "full"
  /** The replica was closed. */
  | "closed";

/** What is safe, truthfully: it rests on what was acknowledged, not on being connected. */
export type Status =
  /** The server answers, and has everything, durably. */
  | { readonly kind: "saved" }
  /**
   * Edits are on their way, and the server answers. With 0 of them: it is just being asked whether it
   * has something new.
   */
  | { readonly kind: "saving"; readonly unsent: number }
  /** Edits, if there are any, are durable on this device only. */
  | {
      readonly kind: "local";
      /** Updates that the server has not acknowledged; 0 when there are none. A letter may be one. */
      readonly unsent: number;
      /** How many lines they have changed, each once; 0 when that is something else, as a star is. */
      readonly lines: number;
      /** When the oldest of them was made, Unix milliseconds. */
      readonly since: number | undefined;
      readonly cause: Disconnection;
    }
  /** This device can't store edits: they are gone when the program ends, unless the server has them. */
  | {
      readonly kind: "unsaved";
      readonly unsent: number;
      readonly lines: number;
      readonly failure: StoreFailure;
      readonly isConnected: boolean;
      /** Absent while the server answers, or is just being asked for the first time. */
      readonly cause?: Disconnection;
    };
