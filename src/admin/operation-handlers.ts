import type { Accounts } from "../accounts/accounts.ts";
import type { Documents } from "../documents/documents.ts";
import type { OutlineLog } from "../documents/outline-log.ts";
import type { Outcome, Progress, RunOptions } from "./admin-channel.ts";
import type { AdminOperation, ItemOf, ParamsOf } from "./admin-operations.ts";

/** What the operations work on. */
export interface AdminParts {
  readonly accounts: Accounts;
  readonly documents: Documents;
  readonly log: OutlineLog;
  readonly maxImportNodes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Copies the store as it is at one moment into a folder that is empty or not there. */
  readonly backup: (folder: string, onProgress: OnProgress) => Promise<Outcome>;
  /** Replaces everything by a backup, of which nothing is seen until all of it is there. */
  readonly restore: (folder: string, onProgress: OnProgress) => Promise<Outcome>;
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
