import type { ReplicaMeta } from "../store/replica-meta.ts";
import { emptyMeta } from "../store/replica-meta.ts";
import { StoreError } from "../store/replica-store.ts";

/** Grows when what is stored gets another form. */
const LAYOUT = 1;

/** What browsers throw or answer where nothing may be stored, in private windows for one. */
const REFUSALS = new Set(["SecurityError", "InvalidStateError", "NotSupportedError"]);

/** A browser has been seen not to answer at all, one that clears its storage not to the first request. */
const FIRST_TIMEOUT_MS = 3_000;
const SECOND_TIMEOUT_MS = 7_000;

/** The object stores: the numbered updates by their numbers, the rest by name. */
export type StorePart = "meta" | "state" | "tail" | "outbox" | "records";
const PARTS: readonly StorePart[] = ["meta", "state", "tail", "outbox", "records"];

/** The only key in `meta`. */
export const META_KEY = "replica";

export interface DatabaseMeta extends ReplicaMeta {
  /** Tells this database from one of the same name that was made after it was deleted. */
  readonly id: string;
}

/**
 * Opens the database of a store, and makes it when it is not there and `create` says so.
 *
 * @throws StoreError `refused`; `lost` when it is not there; `busy` when a tab with an older version of
 *   the program does not let it go
 * @throws DOMException any other
 */
export async function openDatabase(
  factory: IDBFactory,
  name: string,
  options: { readonly create: boolean },
): Promise<IDBDatabase> {
  const database =
    (await openWithin(FIRST_TIMEOUT_MS, factory, name, options)) ??
    (await openWithin(SECOND_TIMEOUT_MS, factory, name, options));
  if (database === undefined) {
    throw new StoreError("failed", "the browser does not open the database");
  }
  return database;
}

/** Undefined when the browser has not answered by then. */
function openWithin(
  timeoutMs: number,
  factory: IDBFactory,
  name: string,
  { create }: { readonly create: boolean },
): Promise<IDBDatabase | undefined> {
  return new Promise((resolve, reject) => {
    const opening = request(factory, name);
    let isMissing = false;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      resolve(undefined);
    }, timeoutMs);
    opening.addEventListener("upgradeneeded", ({ oldVersion }) => {
      isMissing = oldVersion === 0 && !create;
      if (isMissing) opening.transaction?.abort();
      else if (oldVersion === 0) createStores(opening.result);
    });
    opening.addEventListener("blocked", () => {
      isLate = true;
      reject(new StoreError("busy", "another tab has an older version of the database open"));
    });
    opening.addEventListener("success", () => {
      clearTimeout(timer);
      if (isLate) opening.result.close();
      else resolve(opening.result);
    });
    opening.addEventListener("error", () => {
      clearTimeout(timer);
      reject(isMissing ? new StoreError("lost", "the database is gone") : refusalOr(opening.error));
    });
  });
}

function refusalOr(cause: unknown): unknown {
  if (!(cause instanceof Error) || !REFUSALS.has(cause.name)) return cause;
  return new StoreError("refused", "this browser stores nothing here", { cause });
}

function request(factory: IDBFactory, name: string): IDBOpenDBRequest {
  try {
    return factory.open(name, LAYOUT);
  } catch (error) {
    throw refusalOr(error);
  }
}

function createStores(database: IDBDatabase): void {
  for (const part of PARTS) {
    const store = database.createObjectStore(part);
    if (part === "meta") store.put({ ...emptyMeta(), id: randomName() }, META_KEY);
  }
}

function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
