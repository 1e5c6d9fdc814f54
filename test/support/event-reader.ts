import { request, type IncomingMessage } from "node:http";
import { once } from "node:events";
import type { TestService } from "./service.ts";

interface TestEvent {
  readonly event: string;
  readonly data: unknown;
  /** The last one that came until then. */
  readonly id: string | undefined;
}

/** A stream of server-sent events, which is read as the standard of `EventSource` says. */
export class EventReader {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly response: IncomingMessage;
  /** The last id that came. */
  id: string | undefined;
  retryMs: number | undefined;
  comments = 0;
  /** All that has come. */
  text = "";
  readonly #events: TestEvent[] = [];
  #rest = "";
  #hasEnded = false;
  #wake: () => void = () => undefined;

  private constructor(response: IncomingMessage) {
    this.response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    response.setEncoding("utf8");
    response.on("data", (text: string) => this.#take(text));
    const end = (): void => {
      this.#hasEnded = true;
      this.#wake();
    };
    response.on("error", end);
    response.on("close", end);
  }

  /** To be closed. */
  static async open(
    { url, key: own }: Pick<TestService, "url" | "key">,
    query = "",
    { key = own, lastEventId }: { readonly key?: string; readonly lastEventId?: string } = {},
  ): Promise<EventReader> {
    const outgoing = request(`${url}/api/v1/events?${query}`, {
      headers: {
        authorization: `Bearer ${key}`,
        "accept-encoding": "gzip",
        ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
      },
      agent: false,
    });
    outgoing.end();
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    return new EventReader(response);
  }

  /** The next event; undefined when the stream has ended. */
  async next(): Promise<TestEvent | undefined> {
    while (this.#events.length === 0 && !this.#hasEnded) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.#events.shift();
  }

  /** Resolves when the stream has told where it begins. */
  async begun(): Promise<string> {
    for (;;) {
      if (this.id !== undefined) return this.id;
      if (this.#hasEnded) throw new Error(`it has ended: ${this.status} ${this.text}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  close(): void {
    this.response.destroy();
  }

  #take(text: string): void {
    this.text += text;
    const blocks = (this.#rest + text).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    for (const block of blocks) this.#takeBlock(block);
    this.#wake();
  }

  #takeBlock(block: string): void {
    let event = "message";
    let data: string | undefined;
    for (const line of block.split("\n")) {
      const [, field = "", value = ""] = /^([^:]*): ?(.*)$/s.exec(line) ?? [];
      if (field === "") this.comments += 1;
      else if (field === "event") event = value;
      else if (field === "id") this.id = value;
      else if (field === "retry") this.retryMs = Number(value);
      else if (field === "data") data = data === undefined ? value : `${data}\n${value}`;
      else throw new Error(`an unknown field: ${line}`);
    }
    if (data !== undefined) {
      this.#events.push({ event, data: JSON.parse(data) as unknown, id: this.id });
    }
  }
}
