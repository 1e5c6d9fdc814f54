import { forceCloseDatabase, IDBFactory } from "fake-indexeddb";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as Y from "yjs";

import { compactDatabase } from "../../../../client/lib/browser/compact-database.ts";
import { IndexedDbStore } from "../../../../client/lib/browser/indexeddb-store.ts";
import type { StoreError } from "../../../../client/lib/store/replica-store.ts";
import { codeOf, updatesOf } from "../../../contract/replica-reading.ts";
import { fillUpIndexedDb } from "./indexeddb-driver.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A browser's databases, with the connections that were opened to them. */
class Databases extends IDBFactory {
  readonly connections: IDBDatabase[] = [];

  override open(name: string, version?: number) {
    const request = super.open(name, version);
    request.addEventListener("success", () => this.connections.push(request.result));
    return request;
  }

  /** What a browser does when it clears a site's data, or when its storage process ends. */
  closeAll(): void {
    for (const connection of this.connections.splice(0)) {
      // It takes its own class, of which all connections here are.
      forceCloseDatabase(connection as never);
    }
  }
}

function deleted(factory: IDBFactory): Promise<void> {
  return new Promise((resolve) => {
    factory.deleteDatabase("replica").addEventListener("success", () => resolve());
  });
}

function upgraded(factory: IDBFactory): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = factory.open("replica", 2);
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error()));
  });
}

/** A factory whose `open` is another. */
function opening(open: IDBFactory["open"]): IDBFactory {
  const factory = new IDBFactory();
  factory.open = open;
  return factory;
}

function newStore(factory: IDBFactory): Promise<IndexedDbStore> {
  return IndexedDbStore.open("replica", {
    factory,
    compactor: (name) => compactDatabase(factory, name),
  });
}

const update = Uint8Array.of(1, 2, 3);

describe("[L36] a browser without storage", () => {
  test("has no IndexedDB", async () => {
    expect(await codeOf(IndexedDbStore.open("replica"))).toBe("refused");
  });

  test("throws when it is asked for IndexedDB", async () => {
    const descriptor = {
      configurable: true,
      get: () => {
        throw new DOMException("no", "SecurityError");
      },
    };
    Object.defineProperty(globalThis, "indexedDB", descriptor);
    expect(await codeOf(IndexedDbStore.open("replica"))).toBe("refused");
    Reflect.deleteProperty(globalThis, "indexedDB");
  });

  test("throws when a database is opened", async () => {
    const factory = opening(() => {
      throw new DOMException("no", "SecurityError");
    });
    expect(await codeOf(newStore(factory))).toBe("refused");
  });

  test.for([
    ["InvalidStateError", "refused"],
    ["QuotaExceededError", "full"],
    ["UnknownError", "failed"],
  ])("answers %s: %s", async ([name, code]) => {
    const factory = opening(() => {
      const request = Object.assign(new EventTarget(), { error: new DOMException("no", name) });
      setImmediate(() => request.dispatchEvent(new Event("error")));
      // As much of a request as is looked at.
      return request as unknown as ReturnType<IDBFactory["open"]>;
    });
    expect(await codeOf(newStore(factory))).toBe(code);
  });

  test("does not answer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const silent = new EventTarget() as unknown as ReturnType<IDBFactory["open"]>;
    const store = codeOf(newStore(opening(() => silent)));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await store).toBe("failed");
  });

  test("does not answer the first request", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const factory = new IDBFactory();
    const open = factory.open.bind(factory);
    const silent = new EventTarget() as unknown as ReturnType<IDBFactory["open"]>;
    let asked = 0;
    factory.open = (...given) => (++asked === 1 ? silent : open(...given));
    const store = newStore(factory);
    await vi.advanceTimersByTimeAsync(3_000);
    await (await store).write({ received: [update] });
  });
});

describe("[L36] tabs of several versions", () => {
  test("a database of a newer version is not opened", async () => {
    const factory = new IDBFactory();
    (await upgraded(factory)).close();
    expect(await codeOf(newStore(factory))).toBe("newer");
  });

  test("a newer version takes the database, and the store says so for good", async () => {
    const factory = new IDBFactory();
    const store = await newStore(factory);
    const told: string[] = [];
    store.onFailure(({ code }) => told.push(code));
    const newer = await upgraded(factory);
    expect(await codeOf(store.write({ received: [update] }))).toBe("newer");
    newer.close();
    expect(await codeOf(store.write({ received: [update] }))).toBe("newer");
    expect(told).toEqual(["newer"]);
  });

  test("an older tab that does not let go makes the store busy", async () => {
    const factory = opening(() => {
      const request = new EventTarget();
      setImmediate(() => request.dispatchEvent(new Event("blocked")));
      return request as unknown as ReturnType<IDBFactory["open"]>;
    });
    expect(await codeOf(newStore(factory))).toBe("busy");
  });
});

describe("[L37] a database that the browser has closed", () => {
  test("is opened again when it is still there", async () => {
    const factory = new Databases();
    const store = await newStore(factory);
    const told: string[] = [];
    store.onFailure(({ code }) => told.push(code));
    await store.write({ received: [update] });
    factory.closeAll();
    await store.write({ received: [update] });
    factory.closeAll();
    expect(await updatesOf(store)).toEqual([update, update]);
    expect(told).toEqual([]);
  });

  test("is lost when it is gone, which is noticed without a write", async () => {
    const factory = new Databases();
    const store = await newStore(factory);
    const told = new Promise<StoreError>((resolve) => store.onFailure(resolve));
    await store.write({ received: [update] });
    factory.closeAll();
    await deleted(factory);
    expect((await told).code).toBe("lost");
    expect(await codeOf(store.write({ received: [update] }))).toBe("lost");
  });

  test("is lost when it is gone, though the last that was asked of it failed before the browser said so", async () => {
    const factory = new Databases();
    const store = await newStore(factory);
    const told = new Promise<StoreError>((resolve) => store.onFailure(resolve));
    await store.write({ own: [update] });
    const [connection] = factory.connections;
    if (connection === undefined) throw new Error("nothing was opened");
    vi.spyOn(connection, "transaction").mockImplementation(() => {
      connection.close();
      throw new DOMException("the browser clears what it has stored", "AbortError");
    });
    factory.open = () => {
      throw new DOMException("the browser clears what it has stored", "UnknownError");
    };
    expect(await codeOf(store.writeRecord("unsent-since", 1))).toBe("failed");
    Reflect.deleteProperty(factory, "open");
    await deleted(factory);
    // Nothing is asked of the store any more.
    expect((await told).code).toBe("lost");
  });

  test("is looked at again when the browser could not open it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const factory = new Databases();
    const store = await newStore(factory);
    const told = new Promise<StoreError>((resolve) => store.onFailure(resolve));
    const refused = new Promise<void>((resolve) => {
      factory.open = () => {
        const request = Object.assign(new EventTarget(), {
          error: new DOMException("no", "UnknownError"),
        });
        setImmediate(() => {
          request.dispatchEvent(new Event("error"));
          resolve();
        });
        return request as unknown as ReturnType<IDBFactory["open"]>;
      };
    });
    factory.closeAll();
    await refused;
    Reflect.deleteProperty(factory, "open");
    await deleted(factory);
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await told).code).toBe("lost");
  });

  test("[L38] is lost when there is another of its name", async () => {
    const factory = new Databases();
    const store = await newStore(factory);
    await store.write({ received: [update] });
    // The store does not hear of it, as when the tab is asleep.
    const [connection] = factory.connections;
    connection?.close();
    await deleted(factory);
    const other = await newStore(factory);
    expect(await codeOf(store.write({ own: [update] }))).toBe("lost");
    expect(await updatesOf(other)).toEqual([]);
  });

  test("[L38] is not made again when it is gone", async () => {
    const factory = new Databases();
    const store = await newStore(factory);
    const [connection] = factory.connections;
    connection?.close();
    await deleted(factory);
    expect(await codeOf(store.write({ own: [update] }))).toBe("lost");
    expect(await factory.databases()).toEqual([]);
  });
});

test("[L39] a store is emptied even when another tab keeps its database from being deleted", async () => {
  const factory = new Databases();
  const store = await newStore(factory);
  await store.write({ own: [update] });
  await store.writeRecord("zoom", "secret");
  const keeper = await new Promise<IDBDatabase>((resolve) => {
    const request = factory.open("replica", 1);
    request.addEventListener("success", () => resolve(request.result));
  });
  await store.destroy();
  const left: unknown[] = await Promise.all(
    ["meta", "state", "tail", "outbox", "records"].map(
      (part) =>
        new Promise((resolve) => {
          const request = keeper.transaction(part).objectStore(part).getAll();
          request.addEventListener("success", () => resolve(request.result));
        }),
    ),
  );
  expect(left).toEqual([[], [], [], [], []]);
  keeper.close();
});

test("[L34] a compaction that breaks off in its last step has changed nothing", async () => {
  const factory = new IDBFactory();
  const store = await newStore(factory);
  const doc = new Y.Doc();
  doc.getText().insert(0, "x".repeat(400_000));
  const written = Y.encodeStateAsUpdate(doc);
  await store.write({ received: [written] });
  fillUpIndexedDb();
  expect(await codeOf(store.compact())).toBe("full");
  expect(await updatesOf(store)).toEqual([written]);
  await store.write({ received: [update] });
  expect(await updatesOf(store)).toEqual([written, update]);
});
