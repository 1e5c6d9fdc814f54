import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type AnswerHead, AnswerReader } from "../../src/cluster/answer-reader.ts";

interface Read {
  readonly heads: readonly AnswerHead[];
  readonly bodies: readonly string[];
}

/** What is read of bytes that come in these pieces. */
function read(pieces: readonly Buffer[], isBodiless = false): Read {
  const heads: AnswerHead[] = [];
  const bodies: string[] = [];
  let body: Buffer[] = [];
  const reader = new AnswerReader({
    head: (head) => heads.push(head),
    body: (bytes) => body.push(bytes),
    end(bytes) {
      bodies.push(Buffer.concat(bytes === undefined ? body : [...body, bytes]).toString());
      body = [];
    },
  });
  reader.expect(isBodiless);
  for (const piece of pieces) reader.read(piece);
  return { heads, bodies };
}

/** The same bytes in pieces that end at some of their positions. */
function cut(bytes: Buffer, ends: readonly number[]): readonly Buffer[] {
  const sorted = [...ends.map((end) => end % (bytes.length + 1)), bytes.length].toSorted(
    (one, other) => one - other,
  );
  return sorted.map((end, index) => bytes.subarray(sorted[index - 1] ?? 0, end));
}

const ANSWERS: readonly (readonly [string, (response: ServerResponse) => void])[] = [
  ["a length", (response) => void response.end("a body")],
  ["no body", (response) => void response.writeHead(204).end()],
  ["nothing new", (response) => void response.writeHead(304, { etag: '"a"' }).end()],
  ["an empty body", (response) => void response.writeHead(200, { "content-length": 0 }).end()],
  ["words of its own", (response) => void response.writeHead(429, "Not so fast").end("no")],
  ["no words", (response) => void response.writeHead(299, "").end("no")],
  [
    "chunks",
    (response) => {
      for (const size of [1, 15, 16, 4000]) response.write("é".repeat(size));
      response.end("the last\r\n\r\n");
    },
  ],
  [
    "chunks and a trailer",
    (response) => {
      // Node has none for an answer without a body.
      if (response.req.method === "HEAD") return void response.end();
      response.writeHead(200, { trailer: "x-sum" });
      response.write("0\r\n\r\n");
      response.addTrailers({ "x-sum": "7", "x-more": "8" });
      response.end();
    },
  ],
  [
    "several headers of a name",
    (response) => void response.writeHead(200, { "set-cookie": ["a=1", "b=2"] }).end("cookies"),
  ],
  ["an end", (response) => void response.writeHead(503, { connection: "close" }).end("bye")],
];

test.each(ANSWERS)(
  "[P101] an answer with %s is read as Node reads it, however it is cut",
  async (_, answer) => {
    for (const method of ["GET", "HEAD"]) {
      const server = createServer((_request, response) => answer(response)).listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const agent = new Agent({ keepAlive: true });
      const asked = request({ port, host: "127.0.0.1", method, agent }).end();
      const [expected] = (await once(asked, "response")) as [IncomingMessage];
      const body = (await buffer(expected)).toString();
      const bytes = await bytesOf(port, method);
      agent.destroy();
      server.close();
      const isLast = expected.headers.connection === "close";
      fc.assert(
        fc.property(fc.array(fc.nat(), { maxLength: 12 }), (ends) => {
          const { heads, bodies } = read(cut(bytes, ends), method === "HEAD");
          expect(bodies).toEqual([body]);
          expect(heads).toHaveLength(1);
          const { headers, ...head } = heads[0] as AnswerHead;
          expect(head).toEqual({
            status: expected.statusCode,
            message: expected.statusMessage,
            isLast,
          });
          expect(withoutPassing(headers)).toEqual(withoutPassing(expected.rawHeaders));
        }),
        { numRuns: 50 },
      );
    }
  },
);

/** All that a server answers to one request, until it hangs up or has nothing more to say. */
async function bytesOf(port: number, method: string): Promise<Buffer> {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.write(`${method} / HTTP/1.1\r\nHost: here\r\n\r\n`);
  socket.setTimeout(200, () => socket.end());
  return buffer(socket);
}

/** Without what the two connections differ in. */
function withoutPassing(rawHeaders: readonly string[]): readonly string[] {
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)]?.toLowerCase() ?? "";
    return !["date", "connection", "keep-alive"].includes(name);
  });
}

test("[P101] what is said before an answer is passed over", () => {
  const bytes = Buffer.from(
    "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab",
  );
  expect(read([bytes]).bodies).toEqual(["ab"]);
});

test.each([
  ["another protocol", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"],
  ["no protocol", "SSH-2.0-something\r\n\r\n"],
  ["a status that is none", "HTTP/1.1 20x OK\r\n\r\n"],
  ["a header without a name", "HTTP/1.1 200 OK\r\n: a\r\n\r\n"],
  ["a header that is none", "HTTP/1.1 200 OK\r\nnothing\r\n\r\n"],
  ["no length", "HTTP/1.1 200 OK\r\n\r\n"],
  ["a length below nothing", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"],
  ["a length that is none", "HTTP/1.1 200 OK\r\nContent-Length: 1e3\r\n\r\n"],
  ["a chunk of no size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n"],
  ["a size that is none", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\n"],
  ["a long chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n"],
  ["more than an answer", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab"],
  ["a head without end", `HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(12_000)}`],
])("[P101] %s is no answer", (_, text) => {
  expect(() => read([Buffer.from(text)])).toThrow(Error);
});
