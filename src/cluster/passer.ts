import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
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
  requestHead,
  TAKER,
} from "./cluster-headers.ts";
import { hostAndPort } from "./host-and-port.ts";
import { CONNECT_MS } from "./line.ts";
import { Lines } from "./lines.ts";
import { Passages, type Prospect } from "./passages.ts";

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

const HAND_OVER_MS = 10_000;
/** How long a process may leave unanswered whether it is there: as long as one that stands still is waited for. */
const ALIVE_MS = 5000;
/** How long a process that could not be reached is not tried again. */
const CUT_OFF_MS = 2000;

/** What a process asks another for itself. */
interface OwnQuestion {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly timeoutMs: number;
  /** In the form of Node's `rawHeaders`. */
  readonly said?: readonly string[];
}

/** Passes requests and websockets on to the processes that serve their outlines, as bytes. */
export class Passer implements Passing {
  readonly #options: PasserOptions;
  readonly #passages: Passages;
  /** By process, when it could not be reached. [Q92] */
  readonly #cutOff = new Map<number, number>();
  readonly #lines = new Lines();
  #isEnding = false;

  constructor(options: PasserOptions) {
    this.#options = options;
    this.#passages = new Passages({
      livingOf: (processes) => options.places.livingOf(processes),
      reaches: (owner) =>
        this.#ask(owner, { method: "GET", path: ALIVE_PATH, timeoutMs: ALIVE_MS }),
      onCutOff: (owner) => this.#noteCutOff(owner),
    });
  }

  /** Requests and websockets that are under way. */
  get size(): number {
    return this.#passages.size;
  }

  place(outline: OutlineId, isPassedOn = false): Place | Promise<Place> {
    const { places } = this.#options;
    let place = places.of(outline);
    if (isPassedOn && !(place instanceof Promise) && place.kind === "elsewhere") {
      places.forget(outline);
      place = places.of(outline);
    }
    if (!(place instanceof Promise)) return this.#reachable(place);
    return place.then((found) => this.#reachable(found));
  }

  forget(outline: OutlineId): void {
    this.#options.places.forget(outline);
  }

  request(passed: PassedRequest): Promise<"answered" | "again" | "failed"> {
    const { owner, request, response, forwarded, onAnswer } = passed;
    return new Promise((resolve) => {
      let isSent = false;
      let prospect: Prospect = isRepeatable(request) ? "repeatable" : "ends_by_itself";
      const giveUp = this.#lines.take(owner.address).ask({
        method: request.method ?? "GET",
        path: request.url ?? "/",
        headers: [
          ...clusterHeaders(this.#options.secret, forwarded),
          ...passedHeaders(request.rawHeaders),
        ],
        body: hasBody(request) ? request : undefined,
        onConnected: () => (isSent = true),
        onTimeout: () => this.#noteCutOff(owner),
        onAnswer: ({ status, message, headers }) => {
          prospect = isEventStream(headers) ? "endless" : "ends_by_itself";
          onAnswer(status);
          this.#options.onPassed?.("request");
          resolve("answered");
          return response.writeHead(status, message, passedHeaders(headers));
        },
        onEnd: () => {
          forget();
          response.off("close", giveUp);
          // Unless it is answered.
          resolve(isSent && !isRepeatable(request) ? "failed" : "again");
        },
      });
      const forget = this.#passages.add({
        owner,
        get prospect() {
          return prospect;
        },
        end() {
          if (prospect === "endless") response.end();
          giveUp();
        },
      });
      response.once("close", giveUp);
    });
  }

  websocket(passed: PassedUpgrade, onEnd: () => void): Promise<"passed" | "again"> {
    const { owner, request, socket, head, forwarded } = passed;
    const { secret, onPassed } = this.#options;
    return new Promise((resolve) => {
      const other = connect(hostAndPort(owner.address));
      let isPassed = false;
      const forget = this.#passages.add({
        owner,
        prospect: "endless",
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
          clusterHeaders(secret, forwarded),
          passedHeaders(request.rawHeaders),
        );
        // It may be quiet for as long as its session allows.
        request.socket.setTimeout(0);
        request.socket.setNoDelay(true);
        other.write(
          `${requestHead(request.method ?? "GET", request.url ?? "/", headers)}\r\n`,
          "latin1",
        );
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

  /** Ends what has no end of its own: clients come again, by way of another process. */
  endEndless(): void {
    this.#passages.endAll("endless");
  }

  /** The same of what only waits to be answered; nothing more is passed on. */
  endWaiting(): void {
    this.#isEnding = true;
    this.endEndless();
    this.#passages.endAll("repeatable");
  }

  /**
   * Has another process let go of an outline, for this one: who is asked for it all the time would have
   * it again at once.
   * @returns whether it has
   */
  handOver(owner: Owner, outline: OutlineId): Promise<boolean> {
    const path = `${HAND_OVER_PATH}${outline}`;
    const said = [TAKER, String(this.#options.places.self)];
    return this.#ask(owner, { method: "POST", path, timeoutMs: HAND_OVER_MS, said });
  }

  close(): void {
    this.#passages.close();
    this.#lines.close();
  }

  /** Asks another process for something of its own. @returns whether it has said yes */
  #ask({ address }: Owner, { method, path, timeoutMs, said = [] }: OwnQuestion): Promise<boolean> {
    const forwarded = { address: "127.0.0.1", isByTls: false, host: "", hops: 1 };
    return new Promise((resolve) => {
      const end = this.#lines.take(address).ask({
        method,
        path,
        headers: [...clusterHeaders(this.#options.secret, forwarded), ...said],
        onAnswer({ status }) {
          resolve(status === 204);
          return undefined;
        },
        onEnd: () => {
          clearTimeout(deadline);
          resolve(false);
        },
      });
      const deadline = setTimeout(end, timeoutMs);
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
    if (this.#isEnding) return UNKNOWN;
    const { process } = place.owner;
    const at = this.#cutOff.get(process);
    if (at === undefined) return place;
    if (performance.now() - at < CUT_OFF_MS) return UNKNOWN;
    this.#cutOff.delete(process);
    return place;
  }
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

/** @param headers in the form of `rawHeaders` */
function isEventStream(headers: readonly string[]): boolean {
  const at = headers.findIndex((name) => name.toLowerCase() === "content-type");
  return headers[at + 1]?.startsWith("text/event-stream") === true;
}
