/** Runs in a page: opens stores there and does what a test outside asks of them. */
import { IndexedDbStore } from "../../../../client/lib/browser/indexeddb-store.ts";
import { browserTabs } from "../../../../client/lib/browser/tab-group.ts";
import { StoreError } from "../../../../client/lib/store/replica-store.ts";
import type { PageCall, PageReply } from "./page-calls.ts";
import { decode, encode, UPDATES_A_REPLY } from "./page-calls.ts";

interface Opened {
  readonly store: IndexedDbStore;
  failure: { readonly code: string; readonly message: string } | undefined;
}

const stores: Opened[] = [];
const readers: AsyncIterator<Uint8Array>[] = [];

async function answer(text: string): Promise<string> {
  const { handle, method, args } = decode(text) as PageCall;
  const opened = method === "next" ? undefined : stores[handle];
  let reply: PageReply;
  try {
    reply = { value: await perform(handle, method, args) };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    reply = { error: { code: error.code, message: error.message } };
  }
  const failure = opened?.failure;
  if (opened === undefined || failure === undefined) return encode(reply);
  // Each is told once: a store that was begun anew may be lost again.
  opened.failure = undefined;
  return encode({ ...reply, failure });
}

async function perform(handle: number, method: string, args: readonly unknown[]): Promise<unknown> {
  if (method === "open") return open(String(args[0]));
  if (method === "next") return nextOf(readers[handle]);
  const store = stores[handle]?.store;
  if (store === undefined) throw new Error("no such store");
  if (method === "read") {
    const { updates, ...rest } = await store.read();
    return { ...rest, reader: readers.push(updates[Symbol.asyncIterator]()) - 1 };
  }
  if (method === "writeMuch") return store.write({ received: [new Uint8Array(Number(args[0]))] });
  // Named by the tests, with the arguments that go with it.
  const call = Reflect.get(store, method) as (...given: readonly unknown[]) => Promise<unknown>;
  return call.apply(store, [...args]);
}

/** The next updates; fewer than were asked for when there are no more. */
async function nextOf(reader: AsyncIterator<Uint8Array> | undefined): Promise<Uint8Array[]> {
  const updates: Uint8Array[] = [];
  while (updates.length < UPDATES_A_REPLY) {
    const step = await reader?.next();
    if (step === undefined || step.done === true) break;
    updates.push(step.value);
  }
  return updates;
}

async function open(name: string): Promise<number> {
  const store = await IndexedDbStore.open(name);
  const opened: Opened = { store, failure: undefined };
  store.onFailure(({ code, message }) => (opened.failure = { code, message }));
  return stores.push(opened) - 1;
}

/** Makes the next write fail at its second record. */
function fillUp(): void {
  let puts = 0;
  const { prototype } = IDBObjectStore;
  // oxlint-disable-next-line typescript/unbound-method -- called with its store below
  const { put } = prototype;
  prototype.put = function putUntilFull(...args) {
    puts += 1;
    if (puts < 2) return put.apply(this, args);
    prototype.put = put;
    throw new DOMException("no space is left", "QuotaExceededError");
  };
}

function lose(name: string): Promise<void> {
  return new Promise((resolve) => {
    indexedDB.deleteDatabase(name).addEventListener("success", () => resolve());
  });
}

Object.assign(globalThis, { answer, fillUp, lose, browserTabs });
