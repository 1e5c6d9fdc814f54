import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** What of the world a program asks besides the service: a language model, and who gets webhooks. */
export class Elsewhere {
  readonly url: string;
  readonly got: unknown[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** @param says what the model says, whatever it is asked */
  static async start(says: unknown): Promise<Elsewhere> {
    const answer = JSON.stringify({ choices: [{ message: { content: JSON.stringify(says) } }] });
    const server = createServer((request, response) => {
      void json(request).then((body) => {
        elsewhere.got.push(body);
        return response.setHeader("content-type", "application/json").end(answer);
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const elsewhere = new Elsewhere(server);
    return elsewhere;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
