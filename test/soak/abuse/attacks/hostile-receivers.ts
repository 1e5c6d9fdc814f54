import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Abuse } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { keyOf, plantText } from "../planted.ts";
import { fewerThan, Tally } from "../tally.ts";

const FULL = 400;
/** Of a user. */
const MOST_WEBHOOKS = 20;
/** On their way at one time, of a user. */
const MOST_AT_ONCE = 5;
/** Each character is four bytes of a message with nodes. */
const LONG_NAME = "<".repeat(200_000);
const NODES = 10;
const WRITERS = 4;
const HELD_MS = { long: 20_000, short: 5_000 };
const MOST_WAITS = 600;
const POURED = Buffer.alloc(65_536);
/** What is in buffers on the way when the server hangs up. */
const MOST_POURED = 256 * 2 ** 20;

/** What a receiver does with a message, one way after the other. */
type Way = (response: ServerResponse, request: IncomingMessage, tally: Tally) => void;

const WAYS: readonly Way[] = [
  // It never answers.
  () => undefined,
  (response) => void response.writeHead(500).end("no"),
  // A gigabyte, as fast as it goes.
  (response, _request, tally) => {
    response.writeHead(200);
    const pour = (): void => {
      while (!response.destroyed && response.write(POURED)) tally.add("poured", POURED.byteLength);
      if (!response.destroyed) response.once("drain", pour);
    };
    pour();
  },
  // It leads to itself.
  (response, { headers }) =>
    void response.writeHead(307, { location: `http://${headers.host ?? ""}/again` }).end(),
  // It reads nothing.
  (_response, request) => void request.pause(),
  (response) => void response.writeHead(200).end(),
];

/** Many webhooks of one user that lead to receivers of every bad kind, while the outline changes all the time. */
export const hostileReceivers: Abuse = {
  name: "hostile-receivers",
  fault:
    "webhooks without end to receivers that never answer, fail, pour out a gigabyte, redirect, read nothing, send half a header, and to the server itself, while large nodes change",
  unit: "writes",
  full: FULL,
  short: 80,
  shortPeakMib: 150,
  mutants: {
    "messages on their way": {
      wrong: "as many messages of a user are on their way as there are webhooks",
      edits: [["MOST_OF_USER = 5;", "MOST_OF_USER = 1e9;"]],
    },
  },
  async prepare(site) {
    for (let index = 0; index < NODES; index++) await plantText(site, keyOf(index), LONG_NAME);
  },
  async attack(site, amount) {
    const tally = new Tally();
    let underWay = 0;
    let most = 0;
    let came = 0;
    const receiver = createServer((request, response) => {
      tally.add(request.url === "/again" ? "redirected" : "messages");
      underWay += 1;
      most = Math.max(most, underWay);
      response.once("close", () => (underWay -= 1));
      request.resume();
      WAYS[came++ % WAYS.length]?.(response, request, tally);
    });
    // A header that never ends.
    const slow = createTcpServer((socket) => {
      tally.add("slow");
      socket.on("error", () => undefined);
      socket.write("HTTP/1.1 200 OK\r\nx-slow: ");
      const timer = setInterval(() => socket.write("x"), 100);
      socket.once("close", () => clearInterval(timer));
    });
    for (const server of [receiver, slow]) server.listen(0, "127.0.0.1");
    await Promise.all([receiver, slow].map((server) => once(server, "listening")));
    const caller = new HttpCaller(site, tally, WRITERS);
    const [port, slowPort] = [receiver, slow].map(
      (server) => (server.address() as AddressInfo).port,
    );
    const urls = [
      `http://127.0.0.1:${port}/`,
      `http://127.0.0.1:${slowPort}/`,
      `${site.url}/api/v1/nodes`,
    ];
    await inParallel(2 * MOST_WEBHOOKS, WRITERS, async (index) => {
      const url = urls[index % 4 === 3 ? (index >> 2) % 3 : 0];
      const body = { url, fields: "nodes" };
      const { status } = await caller.call("POST", "/api/v1/webhooks", { body });
      tally.add(`made${status}`);
    });
    await inParallel(amount, WRITERS, async (index) => {
      await caller.call("POST", `/api/v1/nodes/${keyOf(index % NODES)}`, {
        body: { note: `${index}` },
      });
      await delay(10);
    });
    // Where others use the processor too, the first ones may take their time.
    const enough = { messages: MOST_AT_ONCE, slow: 1 };
    const isAwaited = () => Object.entries(enough).some(([what, most]) => tally.get(what) < most);
    for (let waits = 0; waits < MOST_WAITS && isAwaited(); waits++) await delay(100);
    await delay(amount >= FULL ? HELD_MS.long : HELD_MS.short);
    caller.close();
    for (const server of [receiver, slow]) server.close();
    receiver.closeAllConnections();
    tally.add("mostAtOnce", most);
    return tally.counts;
  },
  harmOf(counts) {
    const { made200 = 0, mostAtOnce = 0, poured = 0, redirected = 0 } = counts;
    if (made200 > MOST_WEBHOOKS) return `one user has ${made200} webhooks`;
    if (mostAtOnce > MOST_AT_ONCE) return `${mostAtOnce} messages were on their way at one time`;
    if (poured > MOST_POURED) return `${poured} bytes of answers were read`;
    return redirected > 0 ? "a redirect was followed" : undefined;
  },
  lackOf(counts, amount) {
    const lack = fewerThan(counts, "messages", MOST_AT_ONCE) ?? fewerThan(counts, "slow", 1);
    return lack ?? fewerThan(counts, "answered200", amount);
  },
};
