import type { Accounts } from "../accounts/accounts.ts";
import type { OutlineId } from "../core/node-key.ts";
import type { Documents } from "../documents/documents.ts";
import type { OutlineLog } from "../documents/outline-log.ts";
import type { Outcome, Progress, RunOptions } from "./admin-channel.ts";
import type { AdminOperation, ItemOf, ParamsOf } from "./admin-operations.ts";

/** What the store can do as a whole; the drivers say how. */
export interface WholeStore {
  /** Copies the store as it is at one moment into a folder that is empty or not there. */
  backup(folder: string, onProgress: OnProgress): Promise<Outcome>;
  /**
   * Replaces everything by a backup, of which nothing is seen until all of it is there.
   * @param onLacking told, when that is done, what was there and is newer than the backup
   */
  restore(
    folder: string,
    onProgress: OnProgress,
    onLacking: (lacking: LackingCounts) => Promise<void> | void,
  ): Promise<Outcome>;
  /** Reads every record; what is not as it was written is told, with its outline if it has one. */
  verify(onProgress: OnProgress): Promise<readonly WholeStoreFinding[]>;
}

interface LackingCounts {
  readonly updates: number;
  readonly outlines: number;
  readonly clocks: number;
  readonly clients: number;
}

interface WholeStoreFinding {
  readonly outline: OutlineId | null;
  readonly finding: string;
}

/** What the operations work on. */
export interface AdminParts {
  readonly accounts: Accounts;
  readonly documents: Documents;
  readonly log: OutlineLog;
  readonly whole: WholeStore;
  /** Resolves when an outline is served by this process. @throws UnavailableError */
  readonly bringHere: (outline: OutlineId) => Promise<void>;
  readonly maxImportNodes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type OnProgress = (progress: Progress) => void;

export type Handler<O extends AdminOperation> = (
  params: ParamsOf<O>,
  options: RunOptions<ItemOf<O>>,
) => Promise<Outcome>;

export type Handlers<O extends AdminOperation = AdminOperation> = {
  readonly [Each in O]: Handler<Each>;
};

export const DONE: Outcome = { kind: "done" };

export function refused(reason: string): Outcome {
  return { kind: "refused", reason };
}
