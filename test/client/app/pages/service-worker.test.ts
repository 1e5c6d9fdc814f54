import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchAppUpdates } from "../../../../client/app/page/app-update.ts";
import { NoticeBoard } from "../../../../client/app/page/notice-board.ts";

const ORIGIN = "https://outline.test";
const FILES = ["/", "/assets/app-1.js"];

/** The world of a service worker: its caches, the network, and the events it hears of. */
function workerWorld() {
  const listeners = new Map<string, (event: never) => void>();
  const caches = new Map<string, Map<string, Response>>();
  const network = new Map<string, () => Promise<Response>>();
  const fetched: string[] = [];
  const ask = async (request: Request | string): Promise<Response> => {
    const path = new URL(typeof request === "string" ? request : request.url, ORIGIN).pathname;
    fetched.push(path);
    return (await network.get(path)?.()) ?? new Response("", { status: 404 });
  };
  const openCache = (name: string) => {
    const kept = caches.get(name) ?? new Map<string, Response>();
    caches.set(name, kept);
    return {
      match: async (path: string) => kept.get(path)?.clone(),
      async addAll(requests: readonly Request[]) {
        for (const request of requests) {
          kept.set(new URL(request.url).pathname, await ask(request));
        }
      },
      put: async (path: string, response: Response) => void kept.set(path, response),
    };
  };
  let isTakenOver = false;
  const globals = {
    addEventListener: (name: string, listener: (event: never) => void) =>
      listeners.set(name, listener),
    location: { origin: ORIGIN },
    skipWaiting: async () => {
      isTakenOver = true;
    },
    caches: {
      open: async (name: string) => openCache(name),
      keys: async () => [...caches.keys()],
      delete: async (name: string) => caches.delete(name),
      async match(path: string) {
        for (const kept of caches.values()) if (kept.has(path)) return kept.get(path)?.clone();
        return undefined;
      },
    },
    fetch: ask,
    Request: class {
      readonly url: string;
      readonly method = "GET";
      constructor(path: string) {
        this.url = new URL(path, ORIGIN).href;
      }
    },
    APP_FILES: FILES,
    APP_VERSION: "v2",
  };
  const waitFor = async (name: string): Promise<void> => {
    const waits: Promise<unknown>[] = [];
    const event = { waitUntil: (work: Promise<unknown>) => waits.push(work) };
    listeners.get(name)?.(event as never);
    await Promise.all(waits);
  };
  /** What the page gets; undefined when the worker leaves the request to the browser. */
  const request = async (path: string, method = "GET"): Promise<string | undefined> => {
    let answer: Promise<Response> | undefined;
    const event = {
      request: { url: new URL(path, ORIGIN).href, method },
      respondWith: (response: Promise<Response>) => (answer = response),
    };
    listeners.get("fetch")?.(event as never);
    return (await answer)?.text();
  };
  const says =
    (text: string, status = 200) =>
    async () =>
      new Response(text, { status });
  return {
    globals,
    caches,
    network,
    fetched,
    request,
    says,
    install: () => waitFor("install"),
    activate: () => waitFor("activate"),
    post: (data: unknown) => listeners.get("message")?.({ data } as never),
    isTakenOver: () => isTakenOver,
  };
}

let world: ReturnType<typeof workerWorld>;

beforeEach(async () => {
  world = workerWorld();
  world.network.set("/", world.says("index 2"));
  world.network.set("/assets/app-1.js", world.says("script"));
  for (const [name, value] of Object.entries(world.globals)) vi.stubGlobal(name, value);
  vi.resetModules();
  await import("../../../../client/sw/service-worker.ts");
  await world.install();
  world.fetched.length = 0;
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test("[W87] the app starts without a network", async () => {
  world.network.set("/", () => Promise.reject(new TypeError("no network")));
  expect(await world.request("/")).toBe("index 2");
  expect(await world.request("/assets/app-1.js")).toBe("script");
});

test("[W87] the newest page comes first; one that is broken does not count", async () => {
  world.network.set("/", world.says("index 3"));
  expect(await world.request("/")).toBe("index 3");
  world.network.set("/", world.says("the proxy is down", 502));
  expect(await world.request("/")).toBe("index 2");
});

test("[W87] files whose names hold their version are not asked for again", async () => {
  await world.request("/assets/app-1.js");
  expect(world.fetched).toEqual([]);
});

test("[W87] where the browser can't read what it keeps, the files come from the server", async () => {
  vi.stubGlobal("caches", { open: () => Promise.reject(new DOMException("", "UnknownError")) });
  expect(await world.request("/")).toBe("index 2");
  expect(await world.request("/assets/app-1.js")).toBe("script");
});

test("[W87] nothing of the API passes through it", async () => {
  for (const [path, method] of [
    ["/api/v1/nodes", "GET"],
    ["/session", "GET"],
    ["/session", "POST"],
    ["/", "POST"],
    ["/sync/me", "GET"],
    ["https://elsewhere.test/", "GET"],
  ] as const) {
    expect([path, await world.request(path, method)]).toEqual([path, undefined]);
  }
  expect([...(world.caches.get("outline-app-v2")?.keys() ?? [])]).toEqual(FILES);
});

test("[W87] a version takes over when it is asked to, and removes all but the one before", async () => {
  const own = world.caches.get("outline-app-v2") ?? new Map<string, Response>();
  world.caches.clear();
  for (const name of ["outline-app-v0", "outline-app-v1", "another app"]) {
    world.caches.set(name, new Map());
  }
  world.caches.set("outline-app-v2", own);
  expect(world.isTakenOver()).toBe(false);
  world.post("anything");
  expect(world.isTakenOver()).toBe(false);
  world.post("take over");
  expect(world.isTakenOver()).toBe(true);
  await world.activate();
  const kept = ["outline-app-v1", "another app", "outline-app-v2", "outline-version"];
  expect([...world.caches.keys()]).toEqual(kept);
});

test("[W87] a version that was never at work is not taken for the one before", async () => {
  await world.activate();
  for (const APP_VERSION of ["v3", "v4"]) {
    // The first is fetched, and nobody reloads until the second has come.
    vi.stubGlobal("APP_VERSION", APP_VERSION);
    vi.resetModules();
    await import("../../../../client/sw/service-worker.ts");
    await world.install();
  }
  await world.activate();
  const versions = [...world.caches.keys()].filter((name) => name.startsWith("outline-app-"));
  expect(versions).toEqual(["outline-app-v2", "outline-app-v4"]);
});

test("[W87] a page of the version before gets its parts, from the server where they are not kept", async () => {
  const before = new Map([["/assets/dialog-0.js", new Response("a dialog of before")]]);
  world.caches.set("outline-app-v1", before);
  world.network.set("/assets/dialog-0.js", world.says("gone", 404));
  world.network.set("/assets/dialog-9.js", world.says("a dialog to come"));
  expect(await world.request("/assets/dialog-0.js")).toBe("a dialog of before");
  expect(await world.request("/assets/dialog-9.js")).toBe("a dialog to come");
});

/** A registration with a version at work or none, and one that waits. */
function registrationOf(active: object | null) {
  const posted: unknown[] = [];
  const waiting = Object.assign(new EventTarget(), {
    state: "installed",
    postMessage: (message: unknown) => posted.push(message),
  });
  const registration = Object.assign(new EventTarget(), { waiting, active, installing: null });
  const workers = { register: async () => registration } as unknown as ServiceWorkerContainer;
  const enter = (state: string): void => {
    waiting.state = state;
    waiting.dispatchEvent(new Event("statechange"));
  };
  const takeOver = (): void => {
    enter("activated");
    Object.assign(registration, { waiting: null });
  };
  return { workers, posted, enter, takeOver };
}

test("[W88] a page hears of a newer version, which takes over on the person's word", async () => {
  const { workers, posted, enter } = registrationOf({});
  const notices = new NoticeBoard({ setTimeout: () => undefined });
  let reloads = 0;
  await watchAppUpdates(workers, notices, () => (reloads += 1));
  const [notice] = notices.shown.get();
  expect([notice?.text, posted]).toEqual(["There is a newer version of the app.", []]);
  notice?.action?.run();
  enter("activating");
  expect([posted, reloads]).toEqual([["take over"], 0]);
  enter("activated");
  expect(reloads).toBe(1);
});

test("[W88] where another tab has let it take over already, the page is loaded anew at once", async () => {
  const { workers, posted, takeOver } = registrationOf({});
  const notices = new NoticeBoard({ setTimeout: () => undefined });
  let reloads = 0;
  await watchAppUpdates(workers, notices, () => (reloads += 1));
  takeOver();
  notices.shown.get()[0]?.action?.run();
  expect([posted, reloads]).toEqual([[], 1]);
});

test("[W88] the first version is not announced as a newer one", async () => {
  const notices = new NoticeBoard({ setTimeout: () => undefined });
  await watchAppUpdates(registrationOf(null).workers, notices, () => undefined);
  expect(notices.shown.get()).toEqual([]);
});

test("[W88] a page without a service worker goes on without", async () => {
  const notices = new NoticeBoard({ setTimeout: () => undefined });
  const refusing = {
    register: () => Promise.reject(new Error("insecure")),
  } as unknown as ServiceWorkerContainer;
  await watchAppUpdates(undefined, notices, () => undefined);
  await watchAppUpdates(refusing, notices, () => undefined);
  expect(notices.shown.get()).toEqual([]);
});
