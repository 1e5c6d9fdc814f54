/**
 * Makes the app start without a network. It keeps the files of one version of the app and nothing
 * else: what the API answers never passes through here.
 */

/** The files of this version and a hash of them all; the build writes them in. */
declare const APP_FILES: readonly string[];
declare const APP_VERSION: string;

/** Its global object; the `webworker` types say of `self` only that it is some worker's. */
const worker = globalThis as unknown as ServiceWorkerGlobalScope;

const CACHE = `outline-app-${APP_VERSION}`;
const FILES: ReadonlySet<string> = new Set(APP_FILES);
const INDEX = "/";
/** How long the newest page may keep a person waiting who has one that works. */
const INDEX_TIMEOUT_MS = 1000;

worker.addEventListener("install", (event) => {
  event.waitUntil(
    caches.open(CACHE).then((cache) =>
      // Past the browser's own cache: a page of one version with a script of another is no app.
      cache.addAll(APP_FILES.map((path) => new Request(path, { cache: "no-cache" }))),
    ),
  );
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(
    caches.keys().then((names) => {
      const old = names.filter((name) => name.startsWith("outline-app-") && name !== CACHE);
      return Promise.all(old.map((name) => caches.delete(name)));
    }),
  );
});

/** A page says that the person wants the new version now. */
worker.addEventListener("message", ({ data }) => {
  if (data === "take over") void worker.skipWaiting();
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== worker.location.origin) return;
  if (pathname === INDEX) event.respondWith(newestIndex(request));
  else if (FILES.has(pathname)) event.respondWith(keptFile(request, pathname));
});

async function keptFile(request: Request, path: string): Promise<Response> {
  return (await kept(path)) ?? fetch(request);
}

/** The server's page, unless it does not come, or not soon. */
async function newestIndex(request: Request): Promise<Response> {
  const index = await kept(INDEX);
  if (index === undefined) return fetch(request);
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(INDEX_TIMEOUT_MS) });
    return answer.ok ? answer : index;
  } catch {
    return index;
  }
}

/** Undefined also where the browser can't read what it keeps: the network may have it. */
async function kept(path: string): Promise<Response | undefined> {
  try {
    const cache = await caches.open(CACHE);
    return await cache.match(path);
  } catch {
    return undefined;
  }
}
