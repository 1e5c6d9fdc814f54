import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../support/socket-until.ts";
import { Cluster } from "./cluster.ts";
import type { ServerProcess } from "./server-process.ts";

let cluster: Cluster;
let owner: ServerProcess;
let other: ServerProcess;

beforeAll(async () => {
  cluster = await Cluster.start();
  owner = await cluster.newProcess("owner");
  await until(() => cluster.add(owner, "a line"), "an owner");
  other = await cluster.newProcess("other");
});
afterAll(() => cluster.stop());

const BETWEEN_MS = 50;
/** Behind whatever is sent: then the connection ends. */
const LAST = "GET /api/v1/targets HTTP/1.1\r\nHost: a\r\nKEY\r\nConnection: close\r\n\r\n";
const NODE = JSON.stringify({ name: "a name", parent_id: "inbox", position: "top" });
const LENGTH = Buffer.byteLength(NODE);

/** What a client sends, in pieces; `KEY` stands for the header with its key. */
const CASES: Readonly<Record<string, readonly string[]>> = {
  "a HEAD": ["HEAD /api/v1/nodes?parent_id=inbox HTTP/1.1\r\nHost: a\r\nKEY\r\n\r\n"],
  "nothing new": ["GET /api/v1/targets HTTP/1.1\r\nHost: a\r\nKEY\r\nIf-None-Match: *\r\n\r\n"],
  "a body that comes slowly": [
    `POST /api/v1/nodes HTTP/1.1\r\nHost: a\r\nKEY\r\nContent-Length: ${LENGTH}\r\n\r\n`,
    NODE.slice(0, 9),
    NODE.slice(9),
  ],
  "chunks with extensions and a trailer": [
    `POST /api/v1/nodes HTTP/1.1\r\nHost: a\r\nKEY\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n${NODE.slice(0, 5)}\r\n`,
    `${(LENGTH - 5).toString(16)};a=b\r\n${NODE.slice(5)}\r\n0\r\nSum: 1\r\n\r\n`,
  ],
  "a chunk that is none": [
    "POST /api/v1/nodes HTTP/1.1\r\nHost: a\r\nKEY\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
    "zz\r\n",
  ],
  "a body that is waited for": [
    `POST /api/v1/nodes HTTP/1.1\r\nHost: a\r\nKEY\r\nExpect: 100-continue\r\nContent-Length: ${LENGTH}\r\n\r\n`,
    NODE,
  ],
  "several requests at once": [
    `GET /api/v1/nodes/none HTTP/1.1\r\nHost: a\r\nKEY\r\n\r\nPOST /api/v1/nodes HTTP/1.1\r\nHost: a\r\nKEY\r\nContent-Length: ${LENGTH}\r\n\r\n${NODE}GET /api/v1/targets HTTP/1.1\r\nHost: a\r\nKEY\r\n\r\n`,
  ],
  "two lengths": [
    "POST /api/v1/nodes HTTP/1.1\r\nHost: a\r\nKEY\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  "a length that no proxy is to pass on": [
    `POST /api/v1/nodes HTTP/1.1\r\nHost: a\r\nKEY\r\nConnection: content-length\r\nContent-Length: ${LENGTH}\r\n\r\n${NODE}`,
  ],
  "a length with zeros before it": [
    `POST /api/v1/nodes HTTP/1.1\r\nHost: a\r\nKEY\r\nContent-Length: 00${LENGTH}\r\n\r\n${NODE}`,
  ],
  "an empty body": ["POST /api/v1/nodes HTTP/1.1\r\nHost: a\r\nKEY\r\nContent-Length: 00\r\n\r\n"],
  "a body of a GET": [
    "GET /api/v1/targets HTTP/1.1\r\nHost: a\r\nKEY\r\nContent-Length: 2\r\n\r\n{}",
  ],
  "a value of other letters": [
    "GET /api/v1/targets HTTP/1.1\r\nHost: a\r\nKEY\r\nX-A: \xe9\xff \t\r\n\r\n",
  ],
  "a line break in the path": ["GET /api/v1/nodes/a%0d%0aX:b HTTP/1.1\r\nHost: a\r\nKEY\r\n\r\n"],
  "a whole address": ["GET http://a/api/v1/targets HTTP/1.1\r\nHost: a\r\nKEY\r\n\r\n"],
  "HTTP/1.0": ["GET /api/v1/targets HTTP/1.0\r\nKEY\r\n\r\n"],
  "nothing more": [],
  "another method": ["OPTIONS /api/v1/nodes HTTP/1.1\r\nHost: a\r\nKEY\r\n\r\n"],
};

test.each(Object.entries(CASES))(
  "[P101] to %s a process that passes it on answers the same, byte by byte",
  async (_, pieces) => {
    const answers = await Promise.all([owner, other].map((process) => talk(process, pieces)));
    expect(answers[1]).toBe(answers[0]);
    expect(answers[0]).toMatch(/^HTTP\/1\.1 [1-4]/);
  },
);

/** All that a process says until it hangs up. */
async function talk({ url }: ServerProcess, pieces: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // What it says before counts all the same.
  socket.on("error", () => undefined);
  let said = "";
  socket.setEncoding("latin1").on("data", (text: string) => (said += text));
  const closed = once(socket, "close");
  await once(socket, "connect");
  // Behind a request of HTTP/1.0 nothing may come.
  const isOver = pieces.some((piece) => piece.includes("HTTP/1.0"));
  for (const piece of isOver ? pieces : [...pieces, LAST]) {
    socket.write(piece.replaceAll("KEY", `Authorization: Bearer ${cluster.key}`), "latin1");
    await delay(BETWEEN_MS);
  }
  await closed;
  return comparable(said);
}

/** Without what is different whenever it is asked. */
function comparable(said: string): string {
  return said
    .replaceAll(/^(date|ratelimit\S*): .*\r\n/gim, "")
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>");
}
