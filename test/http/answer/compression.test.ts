import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished } from "vitest";
import { payingUser } from "../../../src/charges/payer.ts";
import { UnavailableError } from "../../../src/documents/log/unavailable-error.ts";
import { startService, type TestService } from "../../support/service.ts";
import { test } from "../http-test.ts";
import { incompressible, plantWholeAnswer } from "./whole-answer.ts";

const EXPORT = "/api/v1/nodes-export";
const FREE = 16 * 1024;

/** An answer of which nothing is read yet, as it comes over the wire. */
async function answerTo(
  { url, key }: Pick<TestService, "url" | "key">,
  path: string,
  { accepts = "gzip", method = "GET" } = {},
): Promise<IncomingMessage> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(accepts === "" ? undefined : { "accept-encoding": accepts }),
  };
  const request = httpRequest(url + path, { method, headers, agent: false });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => undefined);
  onTestFinished(() => void response.destroy());
  return response;
}

async function nodeOf(service: TestService, name: string): Promise<string> {
  const { body } = await service.request("POST", "/api/v1/nodes", { name });
  return (body as { item_id: string }).item_id;
}

const LONG = Array.from({ length: 3_000 }, (_, index) => `line ${index} of a list`).join("\n\n");

test("[E46] what is long is compressed for who accepts it, and is what others get", async ({
  service,
}) => {
  const list = await nodeOf(service, `# a list\n\n${LONG}`);
  const text = await nodeOf(service, "word ".repeat(20_000).trim());
  for (const path of [
    EXPORT,
    `/api/v1/nodes?parent_id=${list}`,
    `/api/v1/nodes/${text}`,
    "/openapi.json",
    "/docs",
  ]) {
    const packed = await answerTo(service, path, { accepts: "br, gzip;q=0.5" });
    const plain = await answerTo(service, path, { accepts: "" });
    const [of, bytes] = [await buffer(packed), await buffer(plain)];
    expect([path, gunzipSync(of).toString() === bytes.toString()]).toEqual([path, true]);
    expect(of.length).toBeLessThan(bytes.length / 3);
    const seen = ({ headers }: IncomingMessage) => [headers["content-encoding"], headers.vary];
    expect([path, seen(packed), seen(plain)]).toEqual([
      path,
      ["gzip", "accept-encoding"],
      [undefined, "accept-encoding"],
    ]);
    expect(packed.headers["content-length"]).toBe(undefined);
    for (const accepts of ["identity", "gzip;q=0, br"]) {
      const other = await answerTo(service, path, { accepts });
      expect([path, other.headers["content-encoding"]]).toEqual([path, undefined]);
      other.destroy();
    }
    const head = await answerTo(service, path, { method: "HEAD" });
    expect([...seen(head), (await buffer(head)).length]).toEqual(["gzip", "accept-encoding", 0]);
    expect(head.headers["content-length"]).toBe(undefined);
  }
});

test("[E46, E20] what is short is sent as it is, also where it is made in pieces", async ({
  service,
}) => {
  const { key } = await service.newUser("short");
  const { url } = service;
  const create = { name: "x".repeat(FREE / 2) };
  const { body: created } = await service.request("POST", "/api/v1/nodes", create, { key });
  const { item_id: id } = created as { item_id: string };
  const { body: changes } = await service.request("GET", "/api/v1/changes", undefined, { key });
  const { cursor } = changes as { cursor: string };
  await service.request("POST", "/api/v1/nodes", { name: "one more" }, { key });
  for (const path of [
    `/api/v1/nodes/${id}`,
    "/api/v1/targets",
    "/api/v1/nodes/nothing",
    "/api/v1/search?q=x",
    `/api/v1/nodes/${id}/tree`,
    `/api/v1/nodes/${id}/backlinks`,
    `/api/v1/changes?since=${cursor}`,
    `/api/llm/doc/read/${id}/`,
    `${EXPORT}?root=${id}`,
    `${EXPORT}?root=${id}&format=opml`,
    EXPORT,
  ]) {
    const get = await answerTo({ url, key }, path);
    const { headers } = get;
    expect([path, headers["content-encoding"], headers.vary]).toEqual([path, undefined, undefined]);
    expect([path, Number(headers["content-length"])]).toEqual([path, (await buffer(get)).length]);
    const head = await answerTo({ url, key }, path, { method: "HEAD" });
    const { date: _, ...same } = headers;
    expect([path, head.headers]).toEqual([path, expect.objectContaining(same)]);
    expect((await buffer(head)).length).toBe(0);
  }
});

test("[E46] what is short in letters and long in bytes is compressed", async ({ service }) => {
  const id = await nodeOf(service, "→".repeat(FREE / 2));
  const { headers } = await answerTo(service, `/api/v1/nodes/${id}`);
  expect(headers["content-encoding"]).toBe("gzip");
});

test("[E46] what is made in pieces is whole, whichever length it has around what is short", async ({
  service,
}) => {
  const { key } = await service.newUser("around");
  const { url } = service;
  const { body } = await service.request("POST", "/api/v1/nodes", { name: "x" }, { key });
  const { item_id: id } = body as { item_id: string };
  const path = `/api/v1/search?q=y`;
  const codings = new Set<string | undefined>();
  for (const length of [0, 1, 2, 3, 100]) {
    const name = "y".repeat(FREE - 330 + length);
    await service.request("POST", `/api/v1/nodes/${id}`, { name }, { key });
    const plain = await buffer(await answerTo({ url, key }, path, { accepts: "" }));
    const packed = await answerTo({ url, key }, path);
    const coding = packed.headers["content-encoding"];
    codings.add(coding);
    const bytes = await buffer(packed);
    const text = coding === undefined ? bytes : gunzipSync(bytes);
    expect(text.toString()).toBe(plain.toString());
    expect([length, coding]).toEqual([length, plain.length > FREE ? "gzip" : undefined]);
  }
  expect(codings.size).toBe(2);
});

test("[E46] what is about keys and sessions is sent as it is, however long", async ({
  service,
}) => {
  for (let index = 0; index < 90; index += 1) {
    const name = `${index} ${"x".repeat(190)}`;
    await service.request("POST", "/api/v1/keys", { name });
    await service.signIn(service.key, "browser ".repeat(20));
  }
  for (const path of ["/api/v1/keys", "/sessions"]) {
    const answer = await answerTo(service, path);
    expect([path, answer.headers["content-encoding"]]).toEqual([path, undefined]);
    expect((await buffer(answer)).length).toBeGreaterThan(FREE);
  }
});

test("[E46] a compressed export that fails before its first byte is refused in plain", async ({
  service,
}) => {
  await nodeOf(service, LONG);
  breakReads(service, 1);
  const answer = await answerTo(service, EXPORT);
  const { statusCode, headers } = answer;
  expect([statusCode, headers["content-encoding"]]).toEqual([503, undefined]);
  const body = JSON.parse((await buffer(answer)).toString()) as { readonly code: string };
  expect(body.code).toBe("unavailable");
});

test("[E46] a compressed export that fails on the way breaks off", async ({ service }) => {
  await nodeOf(service, LONG);
  // So late that something has been sent.
  breakReads(service, 10);
  const answer = await answerTo(service, EXPORT);
  expect([answer.statusCode, answer.headers["content-encoding"]]).toEqual([200, "gzip"]);
  await expect(buffer(answer)).rejects.toMatchObject({ code: "ECONNRESET" });
});

test("[E46, A6] a compressed answer that nobody reads breaks off with its key", async ({
  service,
}) => {
  // Of what does not get shorter, more than lies in the buffers of a connection.
  const { user, key } = await service.newUser("reader");
  const name = incompressible(60_000);
  for (let count = 0; count < 60; count++)
    await service.request("POST", "/api/v1/nodes", { name }, { key });
  const payer = payingUser(user);
  const answer = await answerTo({ url: service.url, key }, EXPORT);
  expect(answer.headers["content-encoding"]).toBe("gzip");
  expect(service.memory.bytesOf(payer)).toBeGreaterThan(320 * 1024);
  const { body } = await service.request("GET", "/api/v1/keys", undefined, { key });
  const [own] = (body as { readonly keys: readonly { readonly id: string }[] }).keys;
  await service.request("DELETE", `/api/v1/keys/${own?.id}`, undefined, { key });
  await expect.poll(() => service.memory.bytesOf(payer)).toBe(0);
  await expect(buffer(answer)).rejects.toMatchObject({ code: "ECONNRESET" });
});

test("[Q25, Q17] an unread compressed answer is charged whole, and with its compressor", async ({
  service,
}) => {
  const { user, key } = await service.newUser("unread");
  const path = await plantWholeAnswer(service, key);
  const payer = payingUser(user);
  const plain = await buffer(await answerTo({ url: service.url, key }, path, { accepts: "" }));
  await expect.poll(() => service.memory.bytesOf(payer)).toBe(0);
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname).pause();
  onTestFinished(() => void socket.destroy());
  const ask = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nAccept-Encoding: gzip\r\n\r\n`;
  // One behind the other; what the buffers of the connection take is full before the last is answered.
  socket.write(ask.repeat(100));
  await expect
    .poll(() => service.memory.bytesOf(payer), { timeout: 20_000 })
    .toBe(plain.length + 320 * 1024);
  socket.destroy();
  await expect.poll(() => service.memory.bytesOf(payer)).toBe(0);
});

test("[Q25] without room for the compressor an answer is sent as it is", async () => {
  const memoryLimits = { bytesPerPayer: 256 * 1024, bytesInAll: 1024 * 1024 };
  const service = await startService({ memoryLimits });
  try {
    const id = await nodeOf(service, "word ".repeat(10_000).trim());
    const answer = await answerTo(service, `/api/v1/nodes/${id}`);
    expect([answer.statusCode, answer.headers["content-encoding"]]).toEqual([200, undefined]);
    expect((await buffer(answer)).length).toBeGreaterThan(50_000);
  } finally {
    await service.close();
  }
});

/** From some read of an open document on, it fails, until the test is over. */
function breakReads({ documents }: TestService, from: number): void {
  const open = documents.open.bind(documents);
  documents.open = async (id) => {
    const { document, release } = await open(id);
    let reads = 0;
    const read: typeof document.read = async (fn) => {
      reads += 1;
      if (reads >= from) throw new UnavailableError("the disk is full");
      return document.read(fn);
    };
    const own = { read: { value: read }, readNow: { value: () => undefined } };
    return { document: Object.create(document, own) as typeof document, release };
  };
  onTestFinished(() => {
    documents.open = open;
  });
}
