import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A message as it has come. */
export interface ReceivedMessage {
  readonly headers: IncomingMessage["headers"];
  readonly path: string;
  readonly body: string;
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly webhook_id: string;
    readonly cursor?: string;
    readonly more?: boolean;
    readonly changed?: readonly unknown[];
    readonly removed?: readonly string[];
  };
}

type Answer = (response: ServerResponse, message: ReceivedMessage) => void;

/** Of whoever is told by webhooks: a server on the loopback address. */
export class WebhookReceiver {
  readonly messages: ReceivedMessage[] = [];
  connections = 0;
  /** What is done with each message. */
  answer: Answer = answering(200);
  readonly #server: Server;
  readonly #scheme: "http" | "https";
  #taken = 0;
  #wake: () => void = () => undefined;

  static async open(tls?: {
    readonly cert: string;
    readonly key: string;
  }): Promise<WebhookReceiver> {
    const server = tls === undefined ? createServer() : createTlsServer(tls);
    const receiver = new WebhookReceiver(server, tls === undefined ? "http" : "https");
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return receiver;
  }

  private constructor(server: Server, scheme: "http" | "https") {
    this.#server = server;
    this.#scheme = scheme;
    server.on("connection", () => (this.connections += 1));
    server.on("request", (request, response) => void this.#take(request, response));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}/hook`;
  }

  /** The next message that has come, or will. */
  async next(): Promise<ReceivedMessage> {
    for (;;) {
      const message = this.messages[this.#taken];
      if (message !== undefined) {
        this.#taken += 1;
        return message;
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, url = "" } = request;
    const body = await text(request).catch(() => undefined);
    // Cut off.
    if (body === undefined) return;
    const { type, data } = JSON.parse(body) as Pick<ReceivedMessage, "type" | "data">;
    const id = headers["webhook-id"]?.toString() ?? "";
    const message = { headers, path: url, body, id, type, data };
    this.messages.push(message);
    this.#wake();
    this.answer(response, message);
  }
}

export function answering(status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => void response.writeHead(status, headers).end("thank you");
}

/** What the signature of a message has to be, by the words of the specification. */
export function signatureOf(secret: string, { headers, body }: ReceivedMessage): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signed = `${headers["webhook-id"]?.toString()}.${headers["webhook-timestamp"]?.toString()}.${body}`;
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}
