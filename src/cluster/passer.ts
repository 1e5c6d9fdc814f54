import {
  Agent,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
} from "node:http";
import { connect, type Socket } from "node:net";
import { pipeline } from "node:stream";
import type { OutlineId } from "../core/node-key.ts";
import {
  type Owner,
  type PassedRequest,
  type PassedUpgrade,
  type Passing,
  type Place,
  UNKNOWN,
} from "../accounts/passing.ts";
import {
  ALIVE_PATH,
  clusterHeaders,
  HAND_OVER_PATH,
  passedHeaders,
  TAKER,
} from "./cluster-headers.ts";
import { hostAndPort } from "./host-and-port.ts";
import { Passages } from "./passages.ts";

/** What the store knows of the processes on it. */
export interface PlacesOfOutlines {
  of(outline: OutlineId): Place | Promise<Place>;
  forget(outline: OutlineId): void;
  /** The number of this process; 0 while it is none. */
  readonly self: number;
  /** Which of some processes may still serve what they own. */
  livingOf(processes: readonly number[]): Promise<ReadonlySet<number>>;
}

export interface PasserOptions {
  readonly places: PlacesOfOutlines;
  /** By which the processes know each other. */
  readonly secret: string;
  readonly onPassed?: (kind: "request" | "websocket") => void;
}

/** How long a process may take to accept a connection. */
const CONNECT_MS = 2000;
const HAND_OVER_MS = 10_000;
/** How long a process may leave unanswered whether it is there: as long as one that stands still is waited for. */
const ALIVE_MS = 5000;
/** How long a process that could not be reached is not tried again. */
const CUT_OFF_MS = 2000;
/** How long a connection to another process is kept on which nothing is asked. */
const IDLE_MS = 30_000;
/** Connections to one process that nobody uses and that are kept. */
const MOST_IDLE = 64;

/** Passes requests and websockets on to the processes that serve their outlines, as bytes. */
export class Passer implements Passing {
  readonly #options: PasserOptions;
  readonly #passages: Passages;
  /** By process, when it could not be reached. [Q92] */
  readonly #cutOff = new Map<number, number>();
  readonly #agent = new Agent({
    keepAlive: true,
    maxFreeSockets: MOST_IDLE,
    timeout: IDLE_MS,
    scheduling: "lifo",
  });

  constructor(options: PasserOptions) {
    this.#options = options;
    this.#passages = new Passages({
      livingOf: (processes) => options.places.livingOf(processes),
      reaches: (owner) => this.#ask(owner, { method: "GET", path: ALIVE_PATH, timeout: ALIVE_MS }),
      onCutOff: (owner) => this.#noteCutOff(owner),
    });
  }

  /** Requests and websockets that are under way. */
  get size(): number {
    return this.#passages.size;
  }

  place(outline: OutlineId): Place | Promise<Place> {
    const place = this.#options.places.of(outline);
    if (!(place instanceof Promise)) return this.#reachable(place);
    return place.then((found) => this.#reachable(found));
  }

  forget(outline: OutlineId): void {
    this.#options.places.forget(outline);
  }

  request(passed: PassedRequest): Promise<"answered" | "again" | "failed"> {
    const { owner, request, response, forwarded, onAnswer } = passed;
    return new Promise((resolve) => {
      const asked = httpRequest({
        ...hostAndPort(owner.address),
        agent: this.#agent,
        method: request.method,
        path: request.url,
        setHost: false,
        headers: [
          ...passedHeaders(request.rawHeaders),
          // Node frames no body of a DELETE by itself: it would be read as a request of its own.
          ...(isInChunks(request) ? ["Transfer-Encoding", "chunked"] : []),
          ...clusterHeaders(this.#options.secret, forwarded),
        ],
      });
      const forget = this.#passages.add({
        kind: "request",
        owner,
        end: () => asked.destroy(new Error("the process that was asked is gone")),
      });
      const leave = (): void => void asked.destroy();
      response.once("close", leave);
      let isSent = false;
      let isAnswered = false;
      asked.once("socket", (socket) => {
        const onTimeout = (): void => {
          this.#noteCutOff(owner);
          asked.destroy(new Error("no connection"));
        };
        whenConnected(socket, onTimeout, () => {
          isSent = true;
          if (hasBody(request)) request.pipe(asked);
          else asked.end();
        });
      });
      asked.once("response", (answer) => {
        isAnswered = true;
        const status = answer.statusCode ?? 502;
        onAnswer(status);
        this.#options.onPassed?.("request");
        response.writeHead(status, answer.statusMessage, passedHeaders(answer.rawHeaders));
        // What breaks off breaks the client's connection, too.
        pipeline(answer, response, () => undefined);
        resolve("answered");
      });
      asked.once("error", () => {
        if (!isAnswered) request.unpipe(asked);
        resolve(isSent && !isRepeatable(request) ? "failed" : "again");
      });
      asked.once("close", () => {
        forget();
        response.off("close", leave);
      });
    });
  }

  websocket(passed: PassedUpgrade, onEnd: () => void): Promise<"passed" | "again"> {
    const { owner, request, socket, head, forwarded } = passed;
    const { secret, onPassed } = this.#options;
    return new Promise((resolve) => {
      const other = connect(hostAndPort(owner.address));
      let isPassed = false;
      const forget = this.#passages.add({
        kind: "websocket",
        owner,
        end: () => other.destroy(),
      });
      const deadline = setTimeout(() => {
        this.#noteCutOff(owner);
        other.destroy();
      }, CONNECT_MS);
      const leave = (): void => void other.destroy();
      socket.once("close", leave);
      other.setNoDelay(true);
      other.once("connect", () => {
        clearTimeout(deadline);
        isPassed = true;
        onPassed?.("websocket");
        const headers = ["Connection", "Upgrade", "Upgrade", request.headers.upgrade ?? ""].concat(
          passedHeaders(request.rawHeaders),
          clusterHeaders(secret, forwarded),
        );
        // It may be quiet for as long as its session allows.
        request.socket.setTimeout(0);
        request.socket.setNoDelay(true);
        other.write(`${headOf(request, headers)}\r\n\r\n`, "latin1");
        other.write(head);
        socket.pipe(other);
        other.pipe(socket);
        resolve("passed");
      });
      // Its end follows.
      other.on("error", () => undefined);
      other.once("close", () => {
        clearTimeout(deadline);
        forget();
        socket.off("close", leave);
        if (isPassed) {
          socket.destroy();
          onEnd();
        } else resolve("again");
      });
    });
  }

  /** Clients come again, by way of another process. */
  endWebsockets(): void {
    this.#passages.endWebsockets();
  }

  /**
   * Has another process let go of an outline, for this one: who is asked for it all the time would have
   * it again at once.
   * @returns whether it has
   */
  handOver(owner: Owner, outline: OutlineId): Promise<boolean> {
    const path = `${HAND_OVER_PATH}${outline}`;
    const taker = [TAKER, String(this.#options.places.self)];
    return this.#ask(owner, { method: "POST", path, timeout: HAND_OVER_MS }, taker);
  }

  close(): void {
    this.#passages.close();
    this.#agent.destroy();
  }

  /** Asks another process for something of its own. @returns whether it has said yes */
  #ask({ address }: Owner, asked: RequestOptions, said: readonly string[] = []): Promise<boolean> {
    const forwarded = { address: "127.0.0.1", isByTls: false, host: "", hops: 1 };
    return new Promise((resolve) => {
      const request = httpRequest({
        ...hostAndPort(address),
        agent: this.#agent,
        setHost: false,
        headers: [...clusterHeaders(this.#options.secret, forwarded), ...said],
        ...asked,
      });
      request.once("response", (answer) => {
        answer.resume();
        resolve(answer.statusCode === 204);
      });
      request.once("timeout", () => request.destroy(new Error("no answer")));
      request.once("error", () => resolve(false));
      request.end();
    });
  }

  #noteCutOff({ process }: Owner): void {
    const now = performance.now();
    for (const [other, at] of this.#cutOff) if (now - at > CUT_OFF_MS) this.#cutOff.delete(other);
    this.#cutOff.set(process, now);
  }

  /** What can't be reached is refused at once, for a while. */
  #reachable(place: Place): Place {
    if (place.kind !== "elsewhere") return place;
    const { process } = place.owner;
    const at = this.#cutOff.get(process);
    if (at === undefined) return place;
    if (performance.now() - at < CUT_OFF_MS) return UNKNOWN;
    this.#cutOff.delete(process);
    return place;
  }
}

/** A body is read only when there is somebody who gets it: until then it can be sent to another. */
function whenConnected(socket: Socket, onTimeout: () => void, work: () => void): void {
  if (!socket.connecting) return work();
  const deadline = setTimeout(onTimeout, CONNECT_MS);
  socket.once("connect", () => {
    clearTimeout(deadline);
    work();
  });
  socket.once("close", () => clearTimeout(deadline));
}

function isInChunks({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined;
}

function hasBody(request: IncomingMessage): boolean {
  const { "content-length": length } = request.headers;
  return isInChunks(request) || (length !== undefined && length !== "0");
}

/** Asked twice it does what it does once, and nothing of it is read yet. */
function isRepeatable(request: IncomingMessage): boolean {
  return (request.method === "GET" || request.method === "HEAD") && !hasBody(request);
}

function headOf({ method, url }: IncomingMessage, headers: readonly string[]): string {
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return lines.join("\r\n");
}
