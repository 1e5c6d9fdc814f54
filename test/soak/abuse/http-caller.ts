import { Agent, request } from "node:http";
import type { Site } from "./abuse.ts";
import type { Tally } from "./tally.ts";

interface CallOptions {
  readonly key?: string;
  readonly body?: unknown;
}

export interface CallAnswer {
  /** 0 when the connection broke. */
  readonly status: number;
  readonly text: string;
}

/** Makes whole requests on connections that are used again. */
export class HttpCaller {
  readonly #site: Site;
  readonly #tally: Tally;
  readonly #agent: Agent;

  constructor(site: Site, tally: Tally, connections: number) {
    this.#site = site;
    this.#tally = tally;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Counts the answer by its status. */
  call(method: string, path: string, { key, body }: CallOptions = {}): Promise<CallAnswer> {
    const { url, address } = this.#site;
    const sent = body === undefined ? "" : JSON.stringify(body);
    return new Promise((resolve) => {
      const done = (status: number, text: string): void => {
        this.#tally.add(status === 0 ? "broken" : `answered${status}`);
        resolve({ status, text });
      };
      const outgoing = request(`${url}${path}`, {
        method,
        agent: this.#agent,
        localAddress: address,
        headers: {
          authorization: `Bearer ${key ?? this.#site.key}`,
          ...(sent !== "" && { "content-length": Buffer.byteLength(sent) }),
        },
      });
      outgoing.on("response", (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          this.#tally.add("bytesReceived", text.length);
          done(incoming.statusCode ?? 0, text);
        });
        incoming.on("error", () => done(0, ""));
      });
      outgoing.on("error", () => done(0, ""));
      outgoing.end(sent);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Does `work` for 0 to `count` - 1, so many at a time. */
export async function inParallel(
  count: number,
  atOnce: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane));
}
