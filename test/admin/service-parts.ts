import { randomBytes } from "node:crypto";
import { setImmediate as yieldNow } from "node:timers/promises";
import * as Y from "yjs";
import { Accounts } from "../../src/accounts/accounts.ts";
import { AdminService } from "../../src/admin/admin-service.ts";
import { DONE, type Handlers, type StoreOperation } from "../../src/admin/operation-handlers.ts";
import type { OutlineId } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import type { DocumentLimits } from "../../src/documents/document-limits.ts";
import { Documents } from "../../src/documents/documents.ts";
import { MemoryStore } from "../support/memory-store/memory-store.ts";

export const NOW_SEC = 1_800_000_000;
const now = () => NOW_SEC * 1000;

const NO_WHOLE_STORE: Handlers<StoreOperation> = {
  backup: () => Promise.reject(new Error("not in memory")),
  restore: () => Promise.reject(new Error("not in memory")),
  verify: () => Promise.resolve(DONE),
};

/** The operations on a store in memory. */
export function startAdmin(
  options: {
    readonly maxImportNodes?: number;
    readonly limits?: Partial<DocumentLimits>;
    readonly beforeCommit?: () => Promise<void>;
  } = {},
) {
  const { beforeCommit } = options;
  const store = new MemoryStore({ now, ...(beforeCommit !== undefined && { beforeCommit }) });
  const accounts = new Accounts({ store: store.accounts, now, randomBytes, random: Math.random });
  const documents = new Documents({
    log: store.log,
    now,
    elapsed: () => performance.now(),
    random: Math.random,
    limits: options.limits ?? {},
    timers: {
      setTimeout: (callback, ms) => setTimeout(callback, ms),
      clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
      yieldNow: () => yieldNow(),
    },
  });
  const admin = new AdminService({
    accounts,
    documents,
    log: store.log,
    whole: NO_WHOLE_STORE,
    bringHere: async () => undefined,
    maxImportNodes: options.maxImportNodes ?? 10_000,
    now,
  });
  return {
    admin,
    accounts,
    documents,
    log: store.log,
    async close() {
      await documents.close();
      await store.close();
    },
  };
}

/** A user's outline, put together from what the `state` operation answers. */
export async function outlineOf(admin: AdminService, user: string): Promise<Outline> {
  const doc = new Y.Doc();
  let id: OutlineId | undefined;
  await admin.run(
    "state",
    { user },
    {
      onItem: (item) => {
        if ("outline" in item) id = item.outline;
        else Y.applyUpdate(doc, item.update);
      },
    },
  );
  if (id === undefined) throw new Error(`no outline of ${user}`);
  return Outline.attach(doc, { id, now, random: Math.random });
}
