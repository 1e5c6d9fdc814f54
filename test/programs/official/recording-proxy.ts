import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import type { Sent } from "../recorded.ts";

interface Exchange {
  readonly key: string;
  readonly sent: Sent;
  readonly status: number;
  readonly answer: unknown;
}

/** Stands before a service and keeps what it is asked, and what it answers. Passes both on unchanged. */
export class RecordingProxy {
  readonly url: string;
  readonly #server: Server;
  #exchanges: Exchange[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(target: string): Promise<RecordingProxy> {
    const server = createServer((request, response) => {
      proxy.#pass(target, request, response).catch(() => response.destroy());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const proxy = new RecordingProxy(server);
    return proxy;
  }

  /** What was asked with a key, in the order in which it was answered. */
  of(key: string): readonly Exchange[] {
    return this.#exchanges.filter((exchange) => exchange.key === key);
  }

  forget(key: string): void {
    this.#exchanges = this.#exchanges.filter((exchange) => exchange.key !== key);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #pass(target: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", headers } = request;
    const body = await text(request);
    const passed = httpRequest(new URL(path, target), { method, headers }).end(body);
    const [answer] = (await once(passed, "response")) as [IncomingMessage];
    const { statusCode: status = 0 } = answer;
    const bytes = await buffer(answer);
    const isPacked = answer.headers["content-encoding"] === "gzip";
    this.#exchanges.push({
      key: headers.authorization?.replace("Bearer ", "") ?? "",
      sent: [method, path, ...(body === "" ? [] : [JSON.parse(body)])] as unknown as Sent,
      status,
      answer: JSON.parse((isPacked ? gunzipSync(bytes) : bytes).toString()),
    });
    response.writeHead(status, answer.headers).end(bytes);
  }
}
