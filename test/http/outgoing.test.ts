import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { Poster, type PostOptions } from "../../src/http/outgoing/post.ts";
import { isPublicAddress } from "../../src/http/outgoing/public-address.ts";
import type { ResolvedAddress } from "../../src/http/outgoing/resolve-name.ts";
import { answering } from "../support/webhook-receiver.ts";
import { openReceiver, webhookWorld } from "./webhook-world.ts";

const TIMERS = {
  setTimeout: (callback: () => void, ms: number): unknown => setTimeout(callback, ms),
  clearTimeout: (handle: unknown): void => clearTimeout(handle as NodeJS.Timeout | undefined),
};
const NOT_PUBLIC = "the host has an address that is not public, which is not asked here";
const PUBLIC: ResolvedAddress = { address: "93.184.215.14", family: 4 };
const LOOPBACK: ResolvedAddress = { address: "127.0.0.1", family: 4 };
const FIXTURES = new URL("../fixtures/tls/", import.meta.url);

async function certificate() {
  const [cert = "", key = ""] = await Promise.all(
    ["cert", "key"].map((part) => readFile(new URL(`first.${part}.pem`, FIXTURES), "utf8")),
  );
  return { cert, key };
}

function post(url: string, options: Partial<PostOptions> = {}) {
  const poster = new Poster({ isInsecure: false, timers: TIMERS, ...options });
  const { signal } = new AbortController();
  const chunks = ['{"type":"test",', '"data":{}}'].map((text) => Buffer.from(text));
  return poster.post({ url: new URL(url), headers: {}, chunks, signal });
}

/** Something on this machine that nobody is to reach. */
async function innerServer() {
  const received: Buffer[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => undefined);
    socket.on("data", (data) => received.push(data));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { port, received, connections: () => connections };
}

describe("[U117] only public addresses are asked", () => {
  test.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.7",
    "224.0.0.1",
    "239.1.2.3",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::7f00:1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::1",
    "64:ff9b::",
    "64:ff9b:0:0:0:0:c0a8:101",
    "64:ff9b:1::808:808",
    "100::1",
    "2001::1",
    "2001:0:7f00:1::",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:a9fe:a9fe::",
    "3fff::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "5f00::1",
    "",
    "localhost",
    "1.2.3",
    "0x7f.0.0.1",
  ])("%s is none", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each([
    "1.1.1.1",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.255.255",
    "172.32.0.1",
    "192.0.1.1",
    "223.255.255.255",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "64:ff9b::808:808",
    "2001:4860:4860::8888",
    "2606:4700::1111",
    "2a00:1450:4001::1",
  ])("%s is one", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://169.254.169.254/latest/meta-data/",
  ])("%s is refused when it is made, and was there one it is not asked", async (url) => {
    const { me } = await webhookWorld({ limits: { insecureWebhooks: false } });
    const { status, body } = await me.api("POST", "/webhooks", { url });
    expect([status, (body as { message: string }).message]).toEqual([400, `url: ${NOT_PUBLIC}.`]);
    expect(await post(url)).toEqual({ kind: "failed", reason: NOT_PUBLIC });
  });

  test("plain HTTP is refused, unless whoever runs the server allows it", async () => {
    const { me, receiver } = await webhookWorld({ limits: { insecureWebhooks: false } });
    const { status } = await me.api("POST", "/webhooks", { url: "http://example.org/" });
    expect(status).toBe(400);
    expect(await post(receiver.url)).toMatchObject({ kind: "failed" });
    expect(receiver.connections).toBe(0);
    expect(await post(receiver.url, { isInsecure: true })).toMatchObject({ status: 200 });
  });

  test("a name with one address that is not public is not asked at all", async () => {
    const inner = await innerServer();
    for (const addresses of [[LOOPBACK], [PUBLIC, LOOPBACK]]) {
      const resolve = async () => addresses;
      const url = `https://inner.example:${inner.port}/`;
      expect(await post(url, { resolve })).toEqual({ kind: "failed", reason: NOT_PUBLIC });
    }
    expect(inner.connections()).toBe(0);
  });

  test("a name is resolved once for each message: what it means a moment later does not count", async () => {
    const inner = await innerServer();
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return asked.length === 1 ? [] : [LOOPBACK];
    };
    const url = `https://rebound.example:${inner.port}/`;
    expect(await post(url, { resolve })).toMatchObject({ reason: "the host has no address" });
    expect(await post(url, { resolve })).toMatchObject({ reason: NOT_PUBLIC });
    expect(asked).toEqual(["rebound.example", "rebound.example"]);
    expect(inner.connections()).toBe(0);
  });

  test("what was public when it was looked at, and is not where it leads, is told nothing", async () => {
    const inner = await innerServer();
    let looks = 0;
    const rebound = {
      family: 4 as const,
      get address() {
        return looks++ === 0 ? PUBLIC.address : LOOPBACK.address;
      },
    };
    const url = `https://rebound.example:${inner.port}/`;
    const posted = await post(url, { resolve: async () => [rebound] });
    expect(posted).toEqual({ kind: "failed", reason: NOT_PUBLIC });
    expect(looks).toBeGreaterThan(1);
    expect(inner.received).toEqual([]);
  });
});

describe("[U118] over TLS", () => {
  test("the certificate is that of the name, and of somebody who is believed", async () => {
    const receiver = await openReceiver(await certificate());
    const { cert: ca } = await certificate();
    const resolve = async () => [LOOPBACK];
    const insecure = { isInsecure: true, resolve };
    const at = (name: string): string => `https://${name}:${receiver.port}/`;
    expect(await post(at("localhost"), { ...insecure, ca })).toEqual({
      kind: "answered",
      status: 200,
    });
    expect(receiver.messages).toHaveLength(1);
    for (const [name, options] of [
      ["localhost", insecure],
      ["other.example", { ...insecure, ca }],
    ] as const) {
      expect(await post(at(name), options)).toMatchObject({ kind: "failed" });
    }
    expect(receiver.messages).toHaveLength(1);
  });
});

test("[U114] whoever does not want to wait any more does not", async () => {
  const receiver = await openReceiver();
  receiver.answer = () => undefined;
  const end = new AbortController();
  const poster = new Poster({ isInsecure: true, timers: TIMERS });
  const url = new URL(receiver.url);
  const chunks = [Buffer.from('{"data":{}}')];
  const posted = poster.post({ url, headers: {}, chunks, signal: end.signal });
  await receiver.next();
  end.abort();
  expect(await posted).toMatchObject({ kind: "failed" });
  const never = new Promise<never>(() => undefined);
  const slow = new Poster({ isInsecure: true, timers: TIMERS, resolve: () => never });
  const named = { url: new URL("http://slow.example/"), headers: {}, chunks };
  const asked = slow.post({ ...named, signal: AbortSignal.timeout(1) });
  expect(await asked).toMatchObject({ kind: "failed" });
  expect(await slow.post({ ...named, signal: end.signal })).toMatchObject({ kind: "failed" });
  receiver.answer = answering(200);
});

test("[U114, Q111] an answer may be announced, and who announces it again and again is not heard out", async () => {
  const receiver = await openReceiver();
  receiver.answer = (response, message) => {
    response.writeProcessing();
    answering(200)(response, message);
  };
  const insecure = { isInsecure: true };
  expect(await post(receiver.url, insecure)).toEqual({ kind: "answered", status: 200 });
  receiver.answer = (response, message) => {
    for (let times = 0; times < 100; times += 1) response.writeProcessing();
    answering(200)(response, message);
  };
  const reason = "the answer was announced too often";
  expect(await post(receiver.url, insecure)).toEqual({ kind: "failed", reason });
});
