import { createServer, get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { PacedAnswer, PART_BYTES } from "../../src/http/paced-answer.ts";

const BODY = Buffer.from("0123456789".repeat(100_000));

interface Write {
  readonly bytes: number;
  readonly isInTurn: boolean;
}

/** Answers one request with the body, and notes what is written to its connection. */
async function answered(): Promise<{ readonly body: Buffer; readonly writes: readonly Write[] }> {
  const writes: Write[] = [];
  let isInTurn = false;
  const takeTurn = async (work: () => void): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    isInTurn = true;
    work();
    isInTurn = false;
  };
  const server = createServer((_, response) => {
    if (response.socket !== null)
      watch(response.socket, (bytes) => writes.push({ bytes, isInTurn }));
    new PacedAnswer(BODY, response, takeTurn).pipe(response);
  });
  const answer = await answerOf(server);
  return { body: await buffer(answer), writes };
}

function watch(socket: Socket, onWrite: (bytes: number) => void): void {
  const writev = socket._writev?.bind(socket);
  const write = socket._write.bind(socket);
  socket._write = (chunk: Buffer | string, encoding, done) => {
    onWrite(chunk.length);
    write(chunk, encoding, done);
  };
  socket._writev = (chunks, done) => {
    onWrite(chunks.reduce((sum, { chunk }) => sum + (chunk as Buffer | string).length, 0));
    writev?.(chunks, done);
  };
}

async function answerOf(server: Server): Promise<IncomingMessage> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    get({ port, host: "127.0.0.1", agent: false }, resolve).once("error", reject);
  });
}

test("[P81] a long answer is written to its connection in parts, each within a turn", async () => {
  const { body, writes } = await answered();
  expect(body.equals(BODY)).toBe(true);
  const long = writes.filter(({ bytes }) => bytes > 1024);
  expect(long.length).toBe(Math.ceil(BODY.length / PART_BYTES));
  expect(long.filter(({ isInTurn }) => !isInTurn)).toEqual([]);
  expect(Math.max(...long.map(({ bytes }) => bytes))).toBeLessThan(PART_BYTES + 1024);
});
