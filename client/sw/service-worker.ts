/**
 * Makes the app start without a network. It keeps the files of its version of the app, and those of the
 * one before for pages that are open; what the API answers never passes through here.
 */

/** The files of this version and a hash of them all; the build writes them in. */
declare const APP_FILES: readonly string[];
declare const APP_VERSION: string;

/** Its global object; the `webworker` types say of `self` only that it is some worker's. */
const worker = globalThis as unknown as ServiceWorkerGlobalScope;

const CACHE = `outline-app-${APP_VERSION}`;
const FILES: ReadonlySet<string> = new Set(APP_FILES);
const INDEX = "/";
/** Files whose names say their content: they are the same in every version that has them. */
const ASSETS = "/assets/";
/** Where what other apps share waits for an outline: `client/app/page/shared-texts.ts` takes it. */
const SHARED = "outline-shared";
const SHARE = "/share";
/** Where it is noted which version was at work last. */
const VERSIONS = "outline-version";
const AT_WORK = "/at-work";
/** How long the newest page, or a storage that hangs, may keep a person waiting for the other. */
const PATIENCE_MS = 1000;

worker.addEventListener("install", (event) => {
  event.waitUntil(
    caches.open(CACHE).then((cache) =>
      // Past the browser's own cache: a page of one version with a script of another is no app.
      cache.addAll(APP_FILES.map((path) => new Request(path, { cache: "no-cache" }))),
    ),
  );
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(removeVersions());
});

/**
 * Of the others only the one that was at work before stays: pages of it may be open, with parts yet to
 * fetch. Later ones have never been at work when a newer one has come before anybody wanted them, or the
 * network failed while they were fetched.
 */
async function removeVersions(): Promise<void> {
  const versions = await caches.open(VERSIONS);
  const before = await (await versions.match(AT_WORK))?.text();
  const names = await caches.keys();
  const others = names.filter((name) => name.startsWith("outline-app-") && name !== CACHE);
  const kept = before ?? others.at(-1);
  await versions.put(AT_WORK, new Response(CACHE));
  await Promise.all(others.filter((name) => name !== kept).map((name) => caches.delete(name)));
}

/** A page says that the person wants the new version now. */
worker.addEventListener("message", ({ data }) => {
  if (data === "take over") void worker.skipWaiting();
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== worker.location.origin) return;
  if (request.method === "POST" && pathname === SHARE) return event.respondWith(share(request));
  if (request.method !== "GET") return;
  if (pathname === INDEX) event.respondWith(newestIndex(request));
  else if (FILES.has(pathname)) event.respondWith(keptFile(request, pathname));
  else if (pathname.startsWith(ASSETS)) event.respondWith(fileOfBefore(request, pathname));
});

/**
 * Keeps what another app shares and opens the app, which takes it from there as soon as it has an
 * outline: with or without a network, signed in or not. What can't be kept is shown, to be copied.
 */
async function share(request: Request): Promise<Response> {
  const form = await request.formData();
  const textOf = (name: string): string => {
    const value = form.get(name);
    return typeof value === "string" ? value : "";
  };
  const shared = { title: textOf("title"), text: textOf("text"), url: textOf("url") };
  try {
    const cache = await caches.open(SHARED);
    await cache.put(`/shared/${Date.now()}-${crypto.randomUUID()}`, Response.json(shared));
    return Response.redirect(INDEX, 303);
  } catch {
    const said = [shared.title, shared.text, shared.url].filter((text) => text !== "").join("\n");
    return new Response(`This could not be kept on this device:\n\n${said}`, {
      status: 507,
      headers: { "content-type": "text/plain; charset=utf-8" },
    });
  }
}

async function keptFile(request: Request, path: string): Promise<Response> {
  return (await kept(path)) ?? fetch(request);
}

/** What a page of another version asks for: the server may have it no more. */
async function fileOfBefore(request: Request, path: string): Promise<Response> {
  return (await inTime(caches.match(path))) ?? fetch(request);
}

/** The server's page, unless it does not come, or not soon, and there is one from before. */
async function newestIndex(request: Request): Promise<Response> {
  const answer = fetch(request);
  const newest = await inTime(answer);
  if (newest?.ok === true) return newest;
  return (await kept(INDEX)) ?? answer;
}

/** Undefined also where the browser can't read what it keeps: the network may have it. */
async function kept(path: string): Promise<Response | undefined> {
  return inTime(caches.open(CACHE).then((cache) => cache.match(path)));
}

/** Undefined when it fails or takes too long. */
async function inTime<T>(promise: Promise<T>): Promise<T | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE_MS));
  return Promise.race([promise, late]).catch(() => undefined);
}
