import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http";
import { z } from "zod";
import type { OutlineEntry } from "../formats/outline-entry.ts";
import { type AdminChannel, AdminFailure, type Outcome, type RunOptions } from "./admin-channel.ts";
import { type AnswerMessage, AnswerMessageSchema, type RequestMessage } from "./admin-message.ts";
import {
  ADMIN_OPERATIONS,
  type AdminOperation,
  type ItemOf,
  type ParamsOf,
} from "./admin-operations.ts";
import { jsonLines, writeJsonLine } from "./json-lines.ts";

const GONE = "The server has gone before it was done.";

/** There is no server at the socket. */
const NOBODY: ReadonlySet<string> = new Set(["ENOENT", "ECONNREFUSED"]);

/** Runs operations in the server that listens at a socket. */
export class AdminClient implements AdminChannel {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /** @returns undefined when no server listens there */
  static async connect(path: string): Promise<AdminClient | undefined> {
    const client = new AdminClient(path);
    const probe = client.#request("GET", "");
    probe.end();
    try {
      const [response] = await responseTo(probe);
      response.resume();
      return client;
    } catch (error) {
      if (isErrorWithCode(error) && NOBODY.has(error.code)) return undefined;
      throw error;
    }
  }

  async run<O extends AdminOperation>(
    operation: O,
    params: ParamsOf<O>,
    options: RunOptions<ItemOf<O>> = {},
  ): Promise<Outcome> {
    const request = this.#request("POST", operation);
    const [[response]] = await Promise.all([
      responseTo(request).catch((cause: unknown) => {
        throw new AdminFailure(GONE, { cause });
      }),
      send(request, params, options.input ?? []),
    ]);
    for await (const message of messagesOf(response)) {
      if ("failure" in message) throw new AdminFailure(message.failure);
      if ("outcome" in message) return message.outcome;
      if ("progress" in message) options.onProgress?.(message.progress);
      else {
        const { item } = ADMIN_OPERATIONS[operation];
        // The table pairs them, which the type of a union of schemas can't say.
        await options.onItem?.(z.decode(item, message.item as never) as ItemOf<O>);
      }
    }
    throw new AdminFailure(GONE);
  }

  /** Every operation has a connection of its own. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  #request(method: "GET" | "POST", operation: string): ClientRequest {
    const path = `/${operation}`;
    return httpRequest({ socketPath: this.#path, method, path, agent: false });
  }
}

async function responseTo(request: ClientRequest): Promise<[IncomingMessage]> {
  // A connection that breaks later shows in the response.
  request.on("error", () => undefined);
  return (await once(request, "response")) as [IncomingMessage];
}

async function* messagesOf(response: IncomingMessage): AsyncGenerator<AnswerMessage, void> {
  try {
    for await (const value of jsonLines(response)) yield AnswerMessageSchema.parse(value);
  } catch (error) {
    throw response.complete ? error : new AdminFailure(GONE, { cause: error });
  }
}

async function send(
  request: ClientRequest,
  params: unknown,
  input: AsyncIterable<OutlineEntry> | Iterable<OutlineEntry>,
): Promise<void> {
  const write = (message: RequestMessage): Promise<void> => writeJsonLine(request, message);
  try {
    await write({ params });
    for await (const entry of input) {
      if (request.destroyed || request.writableEnded) return;
      await write({ entry });
    }
    await write({ end: true });
    request.end();
  } catch (error) {
    request.destroy();
    throw error;
  }
}

function isErrorWithCode(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
