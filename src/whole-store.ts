import type { Accounts } from "./accounts/accounts.ts";
import type { Progress } from "./admin/admin-channel.ts";
import { DONE, type Handlers, refused, type StoreOperation } from "./admin/operation-handlers.ts";
import type { Documents } from "./documents/documents.ts";
import type { LackingUpdates } from "./store/level/lacking-updates.ts";
import type { LevelStore } from "./store/level/level-store.ts";
import type { PostgresStore } from "./store/postgres/postgres-store.ts";
import type { StoreProgress } from "./store/store-progress.ts";
import type { StoreFinding } from "./store/level/verify-outline.ts";

/** As many findings as a sentence can hold. */
const NAMED_FINDINGS = 3;

/** What works on the store besides. */
export interface StoreUsers {
  readonly accounts: Accounts;
  readonly documents: Documents;
  /** A backup counts from now on; devices may have what it lacks. */
  readonly onRestored: (lacking: LackingUpdates) => void;
}

/** Backup, restore and verification of the store in a data folder. */
export function wholeLevelStore(store: LevelStore, users: StoreUsers): Handlers<StoreOperation> {
  const { accounts, documents, onRestored } = users;
  return {
    async backup({ folder }, { onProgress }) {
      const { kind } = await store.backup(folder, inSteps(onProgress));
      return kind === "backed_up"
        ? DONE
        : refused(`The folder "${folder}" is not empty: name a new one.`);
    },

    async restore({ folder }, { onProgress, onItem }) {
      let lacking: LackingUpdates | undefined;
      const restored = await store.restore(folder, inSteps(onProgress), (found) => {
        lacking = found;
        onRestored(found);
        // Everything in memory is of the replaced history: sockets come again and find the new one.
        accounts.storeReplaced();
        documents.evictAll("a backup was restored");
      });
      switch (restored.kind) {
        case "restored":
          if (lacking !== undefined) await onItem?.({ ...lacking });
          return DONE;
        case "no_backup":
          return refused(`There is no complete backup in "${folder}".`);
        case "damaged": {
          const named = restored.findings.slice(0, NAMED_FINDINGS).map(findingText).join("; ");
          return refused(
            `The backup in "${folder}" is damaged, and nothing was changed: ${named}.`,
          );
        }
      }
    },

    async verify(_params, { onProgress, onItem }) {
      for (const finding of await store.verifyAll(inSteps(onProgress))) {
        await onItem?.({ outline: finding.outline ?? null, finding: recordText(finding) });
      }
      return DONE;
    },
  };
}

const WITH_ITS_OWN_TOOLS =
  "The store is a PostgreSQL database: it is backed up and put back with PostgreSQL's own tools. docs/operations.md says how.";

/** A database has tools of its own for all but the checksums of the records. */
export function wholePostgresStore(store: PostgresStore): Handlers<StoreOperation> {
  return {
    backup: async () => refused(WITH_ITS_OWN_TOOLS),
    restore: async () => refused(WITH_ITS_OWN_TOOLS),
    async verify(_params, { onProgress, onItem }) {
      for (const finding of await store.verifyAll(inSteps(onProgress))) await onItem?.(finding);
      return DONE;
    },
  };
}

function inSteps(onProgress?: (progress: Progress) => void): (progress: StoreProgress) => void {
  return ({ outlines, of }) => onProgress?.({ done: outlines, total: of });
}

function recordText({ kind, record }: StoreFinding): string {
  return kind === "stray" ? `${record} belongs to nothing` : `${record} is ${kind}`;
}

function findingText(finding: StoreFinding): string {
  const owner = finding.outline === undefined ? "" : ` of outline ${finding.outline}`;
  return recordText(finding) + owner;
}
