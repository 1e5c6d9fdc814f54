import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, test as base } from "vitest";
import { readAppFiles } from "../../src/http/app-files.ts";
import { RawConnection } from "../support/raw-http.ts";
import { startService } from "../support/service.ts";

const SCRIPT = "console.log('outline');".repeat(40);
const INDEX = "<!doctype html><title>Outline</title>";
const NOBODY = { key: null };

const FILES: Readonly<Record<string, string | Buffer>> = {
  "index.html": INDEX,
  "sw.js": "// worker",
  "manifest.webmanifest": "{}",
  "assets/main-Bq3xZ1.js": SCRIPT,
  "assets/main-Bq3xZ1.js.br": brotliCompressSync(SCRIPT),
  "assets/main-Bq3xZ1.js.gz": gzipSync(SCRIPT),
  "assets/main-Bq3xZ1.js.map": "{}",
  "assets/look-C0ffee.css": "body{}",
};

/** A folder with a built app, in one that holds something that is nobody's business. */
async function makeApp(
  files: typeof FILES,
): Promise<{ readonly folder: string; readonly parent: string }> {
  const parent = await mkdtemp(join(tmpdir(), "outline-app-"));
  await writeFile(join(parent, "secret.js"), "secret");
  for (const [name, content] of Object.entries(files)) {
    const file = join(parent, "app", name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return { folder: join(parent, "app"), parent };
}

const test = base
  .extend("files", { scope: "file" }, FILES)
  .extend("service", { scope: "file" }, async ({ files }, { onCleanup }) => {
    const { folder, parent } = await makeApp(files);
    const service = await startService({ appFiles: await readAppFiles(folder) });
    onCleanup(async () => {
      await service.close();
      await rm(parent, { recursive: true });
    });
    return service;
  });

test.for([
  ["/", INDEX, "text/html; charset=utf-8", "no-cache"],
  ["/sw.js", "// worker", "text/javascript; charset=utf-8", "no-cache"],
  ["/manifest.webmanifest", "{}", "application/manifest+json", "no-cache"],
  [
    "/assets/main-Bq3xZ1.js",
    SCRIPT,
    "text/javascript; charset=utf-8",
    "public, max-age=31536000, immutable",
  ],
  [
    "/assets/look-C0ffee.css",
    "body{}",
    "text/css; charset=utf-8",
    "public, max-age=31536000, immutable",
  ],
] as const)("[E40, E41] %s", async ([path, content, type, cache], { service }) => {
  const answer = await service.request("GET", path, undefined, NOBODY);
  expect({
    status: answer.status,
    body: answer.body,
    type: answer.headers.get("content-type"),
    cache: answer.headers.get("cache-control"),
    guess: answer.headers.get("x-content-type-options"),
  }).toEqual({ status: 200, body: content, type, cache, guess: "nosniff" });
});

test("[E40] nothing but the files of the app is to be had", async ({ service }) => {
  const connection = await RawConnection.open(service.url);
  try {
    for (const path of [
      "/../secret.js",
      "/%2e%2e/secret.js",
      "/..%2fsecret.js",
      "/assets/../../secret.js",
      "/assets/..%2f..%2fsecret.js",
      "/assets/..\\..\\secret.js",
      "//etc/passwd",
      "/assets",
      "/assets/",
      "/index.html.map",
      "/assets/main-Bq3xZ1.js.br",
      "/assets/main-Bq3xZ1.js.map",
      "/package.json",
    ]) {
      connection.request(`GET ${path}`, { authorization: `Bearer ${service.key}` });
      const { status, body } = await connection.answer();
      expect([path, status, JSON.parse(body)]).toEqual([
        path,
        404,
        {
          error: "There is no such route.",
          code: "not_found",
          message: "There is no such route.",
        },
      ]);
    }
  } finally {
    connection.close();
  }
});

test("[E40] other addresses and methods are answered as without the app", async ({ service }) => {
  const unknown = await service.request("GET", "/nothing", undefined, NOBODY);
  expect([unknown.status, unknown.headers.get("cache-control")]).toEqual([401, "no-store"]);
  const posted = await service.request("POST", "/", {}, NOBODY);
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  expect((await service.request("GET", "/api/v1/nodes")).status).toBe(200);
});

test("[W306] what is shared where no service worker takes it leads to the app", async ({
  service,
}) => {
  const form = new FormData();
  form.set("title", "x".repeat(5000));
  const answer = await fetch(`${service.url}/share`, {
    method: "POST",
    body: form,
    redirect: "manual",
  });
  expect([answer.status, answer.headers.get("location"), await answer.text()]).toEqual([
    303,
    "/?do=share",
    "",
  ]);
});

test("[E40] an app that was not built is a sentence", async () => {
  const appFiles = await readAppFiles(join(tmpdir(), "there is no such folder"));
  const service = await startService({ appFiles });
  try {
    const { status, headers, body } = await service.request("GET", "/", undefined, NOBODY);
    expect([status, headers.get("content-type"), body]).toEqual([
      200,
      "text/plain; charset=utf-8",
      "The web app has not been built: run `npm run build` and start the server again.\n",
    ]);
  } finally {
    await service.close();
  }
});

test("[E41] who has the copy is not sent it again", async ({ service }) => {
  for (const path of ["/", "/assets/main-Bq3xZ1.js"]) {
    const first = await service.request("GET", path, undefined, NOBODY);
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const headers = { "if-none-match": tags };
      const again = await service.request("GET", path, undefined, { ...NOBODY, headers });
      expect([again.status, again.body, again.headers.get("etag")]).toEqual([304, "", etag]);
    }
    const headers = { "if-none-match": '"other"' };
    const other = await service.request("GET", path, undefined, { ...NOBODY, headers });
    expect(other.status).toBe(200);
  }
});

test("[E20] HEAD of a file has its headers and no body", async ({ service }) => {
  const { status, headers, body } = await service.request("HEAD", "/", undefined, NOBODY);
  expect([status, headers.get("content-length"), body]).toEqual([200, String(INDEX.length), ""]);
});

test.for([
  ["br, gzip", "br"],
  ["gzip, deflate, br;q=0.1", "br"],
  ["gzip", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["br;q=0.0, gzip;q=0", null],
  ["identity", null],
] as const)("[E42] accepting %s", async ([accepted, expected], { service }) => {
  const { headers } = await service.request("HEAD", "/assets/main-Bq3xZ1.js", undefined, {
    ...NOBODY,
    headers: { "accept-encoding": accepted },
  });
  expect([headers.get("content-encoding"), headers.get("vary")]).toEqual([
    expected,
    "accept-encoding",
  ]);
});

test("[E41] each form of a file has an ETag of its own", async ({ service }) => {
  const path = "/assets/main-Bq3xZ1.js";
  const get = (accepted: string, tag = "") =>
    service.request("GET", path, undefined, {
      ...NOBODY,
      headers: { "accept-encoding": accepted, "if-none-match": tag },
    });
  const tags: string[] = [];
  for (const accepted of ["br", "gzip", "identity"]) {
    tags.push((await get(accepted)).headers.get("etag") ?? "");
  }
  expect(new Set(tags).size).toBe(3);
  const statuses: number[] = [];
  for (const tag of tags) statuses.push((await get("gzip", tag)).status);
  expect(statuses).toEqual([200, 304, 200]);
});

test("[E42] what is sent packed is the file", async ({ service }) => {
  for (const encoding of ["br", "gzip"]) {
    const answer = await service.request("GET", "/assets/main-Bq3xZ1.js", undefined, {
      ...NOBODY,
      headers: { "accept-encoding": encoding },
    });
    expect([encoding, answer.headers.get("content-encoding"), answer.body]).toEqual([
      encoding,
      encoding,
      SCRIPT,
    ]);
  }
});

test("[E43] the app is on its own", async ({ service }) => {
  const { headers } = await service.request("GET", "/", undefined, NOBODY);
  expect({
    policy: headers.get("content-security-policy"),
    referrer: headers.get("referrer-policy"),
    opener: headers.get("cross-origin-opener-policy"),
  }).toEqual({
    policy:
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types default paste",
    referrer: "no-referrer",
    opener: "same-origin",
  });
});
