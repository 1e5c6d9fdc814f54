import type { Outline } from "../../src/core/outline.ts";
import type { Edits } from "./edit/edits.ts";
import type { History } from "./edit/history.ts";
import type { DeviceRecords } from "./device-records.ts";
import type { Status } from "./status.ts";

/** A full copy of an outline on this device, which is edited whether or not the server is there. */
export interface Replica {
  /** Reading, and the operations on nodes. Another object after `replaced`. */
  readonly outline: Outline;
  /** What a person does in an editor; every call is one step of `history`. */
  readonly edits: Edits;
  /** Undo and redo of what was done on this device. */
  readonly history: History;
  /** Small values of this device alone. */
  readonly records: DeviceRecords;
  /** The position of the log that the replica has everything up to; for `outline.trash`. */
  readonly seq: number;
  readonly status: Status;
  /** Called when the status has changed. Answers how to stop. */
  onStatus(listener: (status: Status) => void): () => void;
  /** Called when `outline`, `edits` and `history` have become others. Answers how to stop. */
  onReplaced(listener: () => void): () => void;
  /** Tries to connect now instead of when it is due: after a sign-in, or when a person asks. */
  connect(): void;
  /**
   * Resolves when everything done so far is durable on this device. Rejects with a StoreError, or with
   * a DisconnectedError when the replica was closed.
   */
  stored(): Promise<void>;
  /**
   * Resolves when everything done so far is durable on the server. Rejects with a DisconnectedError
   * when that takes a person: nobody is signed in, the key may only read, edits were refused, or the
   * replica was closed. Waits for a server that does not answer.
   */
  saved(): Promise<void>;
  /**
   * Resolves when the replica has everything that the server had when it last connected: at once
   * when it is connected. Rejects as `saved` does.
   */
  caughtUp(): Promise<void>;
  /** Makes everything durable on this device and leaves. From this call on edits and undo throw. */
  close(): Promise<void>;
}
