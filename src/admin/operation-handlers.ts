import type { Accounts } from "../accounts/accounts.ts";
import type { OutlineId } from "../core/node-key.ts";
import type { Documents } from "../documents/documents.ts";
import type { OutlineLog } from "../documents/log/outline-log.ts";
import type { Outcome, RunOptions } from "./admin-channel.ts";
import type { AdminOperation, ItemOf, ParamsOf } from "./admin-operations.ts";

/** What works on the store as a whole; its drivers say how. */
export type StoreOperation = "backup" | "restore" | "verify";

/** What the operations work on. */
export interface AdminParts {
  readonly accounts: Accounts;
  readonly documents: Documents;
  readonly log: OutlineLog;
  readonly whole: Handlers<StoreOperation>;
  /** Resolves when an outline is served by this process. @throws UnavailableError */
  readonly bringHere: (outline: OutlineId) => Promise<void>;
  readonly maxImportNodes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

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
