import { rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import { z } from "zod";
import { StoreError } from "../documents/log/outline-log.ts";
import { UnavailableError } from "../documents/log/unavailable-error.ts";
import type { OutlineEntry } from "../formats/outline-entry.ts";
import type { AdminChannel } from "./admin-channel.ts";
import { type AnswerMessage, RequestMessageSchema } from "./admin-message.ts";
import { ADMIN_OPERATIONS, type AdminOperation, isAdminOperation } from "./admin-operations.ts";
import { jsonLines, writeJsonLine } from "./json-lines.ts";

export interface AdminSocket {
  /** Takes no further command and waits for those under way. */
  close(): Promise<void>;
  /** Hangs up on the commands under way. */
  hangUp(): void;
}

/**
 * Offers the operations on a Unix domain socket that only the owner of the process can open: HTTP
 * with an operation as the path, and JSON lines both ways. Whoever holds the data folder's store is
 * its only server, so a socket that is left over is replaced.
 * @param onFailure is told of operations that failed
 */
export async function listenForAdmin(
  channel: AdminChannel,
  path: string,
  onFailure: (operation: string, error: unknown) => void,
): Promise<AdminSocket> {
  const server = createServer((request, response) => {
    // Somebody who asks whether there is a server.
    if (request.url === "/") return void response.end();
    answer(channel, request, response, onFailure).catch((error: unknown) => {
      onFailure(request.url ?? "", error);
      response.destroy();
    });
  });
  // A large import takes as long as it takes.
  server.requestTimeout = 0;
  await rm(path, { force: true });
  const umask = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(umask);
  }
  await once(server, "listening");
  return {
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      await closed;
    },
    hangUp: () => server.closeAllConnections(),
  };
}

async function answer(
  channel: AdminChannel,
  request: IncomingMessage,
  response: ServerResponse,
  onFailure: (operation: string, error: unknown) => void,
): Promise<void> {
  const operation = (request.url ?? "").slice(1);
  const send = (message: AnswerMessage): Promise<void> => writeJsonLine(response, message);
  try {
    if (!isAdminOperation(operation)) throw new Error(`no such operation: ${operation}`);
    await send({ outcome: await perform(channel, operation, request, response) });
  } catch (error) {
    onFailure(operation, error);
    // A store says what is wrong and what to do; of anything else the log has more.
    await send({ failure: sentenceOf(error) ?? "The server failed; see its log." });
  }
  // What nobody wants any more is read off first: the end of the answer ends the connection, and what
  // the command would still send then takes the answer with it.
  await readOff(request);
  response.end();
}

function sentenceOf(error: unknown): string | undefined {
  if (error instanceof UnavailableError) return error.sentence;
  return error instanceof StoreError ? error.message : undefined;
}

async function readOff(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return;
  request.resume();
  await new Promise<void>((resolve) => {
    request.once("end", resolve).once("close", resolve);
  });
}

async function perform<O extends AdminOperation>(
  channel: AdminChannel,
  operation: O,
  request: IncomingMessage,
  response: ServerResponse,
) {
  // Who takes no more of them leaves the rest to be read off.
  const messages = jsonLines(request.iterator({ destroyOnReturn: false }));
  try {
    return await performed(channel, operation, messages, response);
  } finally {
    void messages.return();
  }
}

async function performed<O extends AdminOperation>(
  channel: AdminChannel,
  operation: O,
  messages: AsyncGenerator<unknown, void>,
  response: ServerResponse,
) {
  const { params: paramsSchema, item: itemSchema } = ADMIN_OPERATIONS[operation];
  const first = await messages.next();
  const message = RequestMessageSchema.parse(first.value);
  if (!("params" in message)) throw new Error("the parameters come first");
  // The table pairs them, which the type of a union of schemas can't say.
  const params = paramsSchema.parse(message.params) as Parameters<typeof channel.run<O>>[1];
  return channel.run(operation, params, {
    input: entriesOf(messages),
    onItem: async (item) => {
      if (response.destroyed) throw new Error("the command has gone");
      await writeJsonLine(response, { item: z.encode(itemSchema, item) } satisfies AnswerMessage);
    },
    onProgress: (progress) => {
      // Nothing of an import stays that is given up. All else is done to its end.
      if (operation === "import" && response.destroyed) throw new Error("the command has gone");
      // What is not read at once is not queued: the next progress says it all.
      if (!response.writableNeedDrain) void writeJsonLine(response, { progress });
    },
  });
}

async function* entriesOf(messages: AsyncGenerator<unknown, void>): AsyncGenerator<OutlineEntry> {
  for await (const value of messages) {
    const message = RequestMessageSchema.parse(value);
    if ("end" in message) return;
    if ("entry" in message) yield message.entry;
  }
  throw new Error("the command has gone");
}
