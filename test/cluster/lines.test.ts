import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { PassThrough, Writable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import type { Asked } from "../../src/cluster/line.ts";
import { Lines } from "../../src/cluster/lines.ts";

const PATIENCE = { timeout: 20_000 };

/** Another process, and the connections that it has got. */
async function owner(answer: RequestListener) {
  const sockets: Socket[] = [];
  const server = createServer(answer).on("connection", (socket) => sockets.push(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { sockets, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function newLines(): Lines {
  const lines = new Lines();
  onTestFinished(() => lines.close());
  return lines;
}

/** Asks, and reads the whole answer. @returns the status, undefined without an answer; the body, undefined when it broke off */
function ask(lines: Lines, address: string, asked: Partial<Asked> = {}) {
  return new Promise<{ status: number | undefined; body: string | undefined }>((resolve) => {
    let status: number | undefined;
    let body = "";
    let isWhole = false;
    const answer = new Writable({
      write(bytes: Buffer, _encoding, done) {
        body += bytes.toString();
        done();
      },
    });
    answer.once("finish", () => (isWhole = true));
    answer.once("close", () => resolve({ status, body: isWhole ? body : undefined }));
    lines.take(address).ask({
      method: "GET",
      path: "/",
      headers: ["Host", "here"],
      onAnswer: (head) => {
        status = head.status;
        return answer;
      },
      onEnd: () => {
        if (status === undefined) resolve({ status, body: undefined });
      },
      ...asked,
    });
  });
}

test("[P101] one connection is used again and again", async () => {
  const { sockets, address } = await owner((request, response) => {
    response.end(request.url);
  });
  const lines = newLines();
  for (const path of ["/a", "/b", "/c"])
    expect(await ask(lines, address, { path })).toEqual({ status: 200, body: path });
  expect(sockets).toHaveLength(1);
});

test("[P101] what is asked at the same time goes by connections of its own", async () => {
  const waiting: (() => void)[] = [];
  const { sockets, address } = await owner((request, response) => {
    waiting.push(() => response.end(request.url));
    if (waiting.length === 3) for (const answer of waiting) answer();
  });
  const lines = newLines();
  const answers = await Promise.all(
    ["/a", "/b", "/c"].map((path) => ask(lines, address, { path })),
  );
  expect(answers.map(({ body }) => body)).toEqual(["/a", "/b", "/c"]);
  expect(sockets).toHaveLength(3);
});

test("[P101] a connection that the other process has closed, or is about to, is not used again", async () => {
  const { sockets, address } = await owner((request, response) => {
    if (request.url === "/last") response.setHeader("connection", "close");
    response.end();
  });
  const lines = newLines();
  await ask(lines, address, { path: "/last" });
  expect(await ask(lines, address)).toEqual({ status: 200, body: "" });
  expect(sockets).toHaveLength(2);
  sockets[1]?.destroy();
  await once(sockets[1] as Socket, "close");
  await expect.poll(() => ask(lines, address), PATIENCE).toEqual({ status: 200, body: "" });
});

test("[P101] an answer that breaks off breaks off", async () => {
  const { address } = await owner((request, response) => {
    response.writeHead(200, request.url === "/length" ? { "content-length": 9 } : {});
    response.write("a part");
    setTimeout(() => response.destroy(), 20);
  });
  const lines = newLines();
  for (const path of ["/length", "/chunks"])
    expect(await ask(lines, address, { path })).toEqual({ status: 200, body: undefined });
});

test("[P101] what is no answer is none", async () => {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined).end("SSH-2.0-something\r\n\r\n");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const found = await ask(newLines(), `127.0.0.1:${port}`);
  expect(found).toEqual({ status: undefined, body: undefined });
});

/** A request with a body, as far as one that is passed on needs it. */
function bodyOf(headers: Record<string, string>) {
  const body = new PassThrough();
  return { body, passed: Object.assign(body, { headers }) as unknown as Asked["body"] };
}

test.each([
  ["of a length", "content-length", "300000"],
  ["in chunks", "transfer-encoding", "chunked"],
])("[P101] a body %s comes as it was sent, also when it comes late", async (_, name, value) => {
  let got = "";
  const { sockets, address } = await owner((request, response) => {
    request.setEncoding("utf8").on("data", (text: string) => (got += text));
    request.on("end", () => response.end("got it"));
  });
  const lines = newLines();
  const { body, passed } = bodyOf({ [name]: value });
  const asked = ask(lines, address, {
    method: "POST",
    headers: ["Host", "here", ...(name === "content-length" ? [name, value] : [])],
    body: passed,
  });
  for (let part = 0; part < 3; part += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    body.write(String(part).repeat(100_000));
  }
  body.end();
  expect(await asked).toEqual({ status: 200, body: "got it" });
  expect(got).toBe(["0", "1", "2"].map((part) => part.repeat(100_000)).join(""));
  expect(await ask(lines, address)).toEqual({ status: 200, body: "got it" });
  expect(sockets).toHaveLength(1);
});

test("[P101] an empty body in chunks is one", async () => {
  const { address } = await owner((request, response) => {
    request.resume().on("end", () => response.end(request.headers["transfer-encoding"]));
  });
  const { body, passed } = bodyOf({ "transfer-encoding": "chunked" });
  body.end();
  const found = await ask(newLines(), address, { method: "DELETE", body: passed });
  expect(found).toEqual({ status: 200, body: "chunked" });
});

test("[P101] what is answered before its body has come takes its connection with it", async () => {
  const { sockets, address } = await owner((_request, response) => {
    response.writeHead(413).end("too much");
  });
  const lines = newLines();
  const { body, passed } = bodyOf({ "content-length": "1000000" });
  body.write("a");
  const asked = ask(lines, address, {
    method: "POST",
    headers: ["Host", "here", "Content-Length", "1000000"],
    body: passed,
  });
  expect(await asked).toEqual({ status: 413, body: "too much" });
  // Nobody reads the rest here: whoever has passed it on skips it.
  expect(body.listenerCount("data")).toBe(0);
  expect(await ask(lines, address)).toEqual({ status: 413, body: "too much" });
  expect(sockets).toHaveLength(2);
});

test("[P101] nothing more is read than who asks can take", async () => {
  const { sockets, address } = await owner((_request, response) => {
    const piece = Buffer.alloc(1024 * 1024);
    const more = (): void => {
      while (response.write(piece));
    };
    response.on("drain", more);
    more();
  });
  let onFull = (): void => undefined;
  const full = new Promise<void>((resolve) => (onFull = resolve));
  let taken = 0;
  const slow = new Writable({
    highWaterMark: 1024,
    write(bytes: Buffer) {
      taken += bytes.length;
      onFull();
    },
  });
  const end = newLines()
    .take(address)
    .ask({
      method: "GET",
      path: "/",
      headers: ["Host", "here"],
      onAnswer: () => slow,
      onEnd: () => undefined,
    });
  await full;
  // What the system holds for the two sockets is all that the other process can send.
  let sent = -1;
  await expect
    .poll(
      () => {
        const before = sent;
        sent = sockets[0]?.bytesWritten ?? 0;
        return sent === before;
      },
      { ...PATIENCE, interval: 300 },
    )
    .toBe(true);
  expect(taken + slow.writableLength).toBeLessThan(256 * 1024);
  end();
});

test("[P101] who is slow to take an answer holds up nobody who is asked behind it", async () => {
  const { sockets, address } = await owner((request, response) => {
    if (request.url === "/next") return void response.end("next");
    // In one packet: all of it has come before the slow one could be waited for.
    response.socket?.cork();
    for (let piece = 0; piece < 4; piece += 1) response.write("a".repeat(1000));
    response.end();
    response.socket?.uncork();
  });
  const lines = newLines();
  const slow = new Writable({ highWaterMark: 1000, write: () => undefined });
  await new Promise<void>((resolve) => {
    lines.take(address).ask({
      method: "GET",
      path: "/",
      headers: ["Host", "here"],
      onAnswer: () => slow,
      onEnd: resolve,
    });
  });
  expect(slow.writableLength).toBe(4000);
  expect(await ask(lines, address, { path: "/next" })).toEqual({ status: 200, body: "next" });
  expect(sockets).toHaveLength(1);
});
