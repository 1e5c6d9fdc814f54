import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TcpProxy } from "./tcp-proxy.ts";

let server: Server;
let proxy: TcpProxy;
/** What the server has received. */
let received = "";

beforeEach(async () => {
  received = "";
  server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      received += bytes.toString();
      socket.write(`<${bytes.toString()}>`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  proxy = await TcpProxy.start((server.address() as AddressInfo).port);
});

afterEach(async () => {
  await proxy.stop();
  server.close();
  await once(server, "close");
});

interface Caller {
  readonly socket: Socket;
  readonly heard: () => string;
  readonly failure: () => string | undefined;
}

function call(): Caller {
  const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
  let heard = "";
  let failure: string | undefined;
  socket.on("data", (bytes) => (heard += bytes.toString()));
  socket.on("error", (error: NodeJS.ErrnoException) => (failure = error.code));
  return { socket, heard: () => heard, failure: () => failure };
}

test("passes what either side sends, and its end", async () => {
  const caller = call();
  caller.socket.write("one");
  await vi.waitFor(() => expect(caller.heard()).toBe("<one>"));
  caller.socket.end();
  await once(caller.socket, "close");
  expect(caller.failure()).toBeUndefined();
});

test("hangs in one direction alone, and delivers later", async () => {
  const caller = call();
  caller.socket.write("one");
  await vi.waitFor(() => expect(caller.heard()).toBe("<one>"));
  proxy.hang("down");
  caller.socket.write("two");
  await vi.waitFor(() => expect(received).toBe("onetwo"));
  expect(caller.heard()).toBe("<one>");
  await proxy.pass();
  await vi.waitFor(() => expect(caller.heard()).toBe("<one><two>"));
});

test("takes new connections while it hangs, and forwards nothing of them", async () => {
  proxy.hang();
  const caller = call();
  await once(caller.socket, "connect");
  caller.socket.write("late");
  const witness = connect(proxy.target, "127.0.0.1");
  witness.write("witness");
  await vi.waitFor(() => expect(received).toBe("witness"));
  witness.destroy();
  await proxy.pass();
  await vi.waitFor(() => expect(caller.heard()).toBe("<late>"));
});

test("resets what is connected and what connects", async () => {
  const before = call();
  before.socket.write("one");
  await vi.waitFor(() => expect(before.heard()).toBe("<one>"));
  proxy.reset();
  await vi.waitFor(() => expect(before.failure()).toBe("ECONNRESET"));
  const after = call();
  await vi.waitFor(() => expect(after.failure()).toBe("ECONNRESET"));
});

test("refuses connections, and takes them again on the same port", async () => {
  const { url } = proxy;
  await proxy.refuse();
  const refused = call();
  await vi.waitFor(() => expect(refused.failure()).toBe("ECONNREFUSED"));
  await proxy.pass();
  expect(proxy.url).toBe(url);
  const caller = call();
  caller.socket.write("back");
  await vi.waitFor(() => expect(caller.heard()).toBe("<back>"));
});

test("a server that is gone ends the connection", async () => {
  proxy.target = 1;
  const caller = call();
  await vi.waitFor(() => expect(caller.failure()).toBe("ECONNRESET"));
});
