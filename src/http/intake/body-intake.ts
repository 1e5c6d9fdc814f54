import { createHash, type Hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { TextDecoder } from "node:util";
import type { Charge, MemoryLedger } from "../../charges/memory-ledger.ts";
import type { Payer } from "../../charges/payer.ts";
import { holdReading } from "./hold-reading.ts";
import { readJsonBody, type JsonBody } from "./json-body.ts";
import { JsonScan } from "./json-scan.ts";
import { problem, type Problem } from "../problem.ts";
import type { RequestTurns } from "./request-turns.ts";
import { isInSmallPieces } from "./small-pieces.ts";

/** What every connection may hold without being charged for it. */
export const FREE_BYTES = 16 * 1024;
/** What is taken in at once; of longer bodies the rest is, piece by piece, in the payer's turns. */
const AT_ONCE_BYTES = 64 * 1024;
/** Half of it as strings with two bytes for a character, beside what is not yet decoded. */
const HELD_FOR_EACH_BYTE = 2;

const TOO_LARGE = problem("too_large", "The body is too large.");
const CUT_OFF = problem("invalid_request", "The request can't be read.");
const TOO_MANY_VALUES = problem("invalid_request", "The JSON body has too many values.");
const TOO_MANY_ESCAPES = problem(
  "too_large",
  "The JSON body has more escaped characters than text.",
);
const NOT_UTF8 = problem("invalid_request", "The body is not UTF-8.");
const TOO_SMALL_PIECES = problem("invalid_request", "The body comes in too small pieces.");
const NO_ROOM = problem(
  "unavailable",
  "Too much is being sent at once. Send it again later.",
  1000,
);

export interface BodyIntakeOptions {
  /** Most bytes. */
  readonly limit: number;
  /** Most escaped characters. */
  readonly maxEscapes: number;
  /** Most values of the JSON; without it, as many as an operation on one node needs. */
  readonly maxValues: number | undefined;
  /** Who pays for the memory. */
  readonly holder: Payer;
  /** Who pays for the time. */
  readonly payer: Payer;
  readonly memory: MemoryLedger;
  readonly turns: RequestTurns;
  /** Whether to tell it from other bodies. */
  readonly isHashed: boolean;
}

/**
 * Takes in the body of a request, whose memory is charged from its first bytes until `end`. What is
 * not to be parsed anyway is refused as soon as that can be told, and what there is no memory for is
 * given up.
 */
export class BodyIntake {
  readonly #request: IncomingMessage;
  readonly #options: BodyIntakeOptions;
  readonly #done: (refusal: Problem | undefined) => void;
  readonly #scan: JsonScan;
  /** What has come and is not decoded; a turn's work at most. [Q12] */
  #chunks: Buffer[] = [];
  /** What is decoded: not more than the body's limit. [Q12] */
  #texts: string[] = [];
  /** Leaves the mark of UTF-8 to who reads the text. */
  #decoder: TextDecoder | undefined;
  readonly #hash: Hash | undefined;
  #charge: Charge | undefined;
  #bytes = 0;
  #takenBytes = 0;
  #pieces = 0;
  #refusal: Problem | undefined;
  #isDone = false;

  /** @param done called once: when all of it is there, or why it is not */
  constructor(
    request: IncomingMessage,
    options: BodyIntakeOptions,
    done: (refusal: Problem | undefined) => void,
  ) {
    this.#request = request;
    this.#options = options;
    this.#done = done;
    this.#scan = new JsonScan(options.maxEscapes, options.maxValues);
    this.#hash = options.isHashed ? createHash("sha256") : undefined;
    if (Number(request.headers["content-length"]) > options.limit) {
      this.#finish(TOO_LARGE);
      return;
    }
    request.on("data", this.#onData);
    request.on("end", this.#onEnd);
    request.on("error", this.#onError);
  }

  /** How long it is, or as much as has come of it. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The SHA-256 of a body that is hashed, in base64url; once, after `parse`. */
  get digest(): string | undefined {
    return this.#hash?.digest("base64url");
  }

  /** Reads it as JSON; this or `form` once, after `done`. */
  parse(): JsonBody {
    const text = this.#text();
    return typeof text === "string" ? readJsonBody(text) : text;
  }

  /** Reads it as the fields of a form, each with all its values. */
  form(): JsonBody {
    const text = this.#text();
    return typeof text === "string" ? { kind: "body", value: new URLSearchParams(text) } : text;
  }

  #text(): string | Problem {
    if (this.#refusal !== undefined) return this.#refusal;
    const excess = this.#takeIn();
    if (excess !== undefined) return excess;
    const end = this.#decoded();
    if (end === undefined) return NOT_UTF8;
    const text = this.#texts.join("") + end;
    this.#texts = [];
    return text;
  }

  /** Keeps it until a request is answered, or the client is gone. */
  endWith(response: ServerResponse): void {
    if (this.#charge === undefined) return;
    if (response.destroyed) this.end();
    else response.once("close", () => this.end());
  }

  /** Nobody waits for what is done with it any more. May be called more than once. */
  end(): void {
    this.#charge?.end();
    this.#drop(CUT_OFF);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#bytes += chunk.length;
    this.#pieces += 1;
    if (this.#bytes > this.#options.limit) return this.#finish(TOO_LARGE);
    if (isInSmallPieces(this.#bytes, this.#pieces)) {
      holdReading(this.#request.socket);
      this.#finish(TOO_SMALL_PIECES);
      this.#request.socket.destroySoon();
      return;
    }
    this.#chunks.push(chunk);
    if (this.#bytes > FREE_BYTES) this.#hold();
    if (!this.#isDone && this.#bytes - this.#takenBytes > AT_ONCE_BYTES) this.#takeInLater();
  };

  readonly #onEnd = (): void => this.#finish(undefined);

  readonly #onError = (): void => this.#finish(CUT_OFF);

  #hold(): void {
    const { memory, holder } = this.#options;
    this.#charge ??= memory.open(holder, () => this.#giveUp());
    this.#charge.set(this.#bytes * HELD_FOR_EACH_BYTE);
  }

  #giveUp(): void {
    this.#drop(NO_ROOM);
    this.#finish(NO_ROOM);
  }

  /** From now on it is refused: without its body a request would mean something else. */
  #drop(refusal: Problem): void {
    this.#refusal ??= refusal;
    this.#chunks = [];
    this.#texts = [];
  }

  /** Reads no more before what has come is decoded. */
  #takeInLater(): void {
    const { turns, payer } = this.#options;
    this.#request.pause();
    const readOn = holdReading(this.#request.socket);
    void turns.takeTurn(payer, () => {
      readOn();
      if (this.#isDone) return;
      const excess = this.#takeIn();
      if (excess === undefined) this.#request.resume();
      else this.#finish(excess);
    });
  }

  #takeIn(): Problem | undefined {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#takenBytes = this.#bytes;
    for (const chunk of chunks) {
      this.#scan.push(chunk);
      this.#hash?.update(chunk);
      const text = this.#decoded(chunk);
      if (text === undefined) return NOT_UTF8;
      this.#texts.push(text);
    }
    if (this.#scan.excess === undefined) return undefined;
    return this.#scan.excess === "values" ? TOO_MANY_VALUES : TOO_MANY_ESCAPES;
  }

  /** The text of a chunk, or without one what is left at the end; undefined when it is no UTF-8. */
  #decoded(chunk?: Buffer): string | undefined {
    this.#decoder ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    try {
      return this.#decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      return undefined;
    }
  }

  #finish(refusal: Problem | undefined): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#request.off("data", this.#onData);
    this.#request.off("end", this.#onEnd);
    if (refusal !== undefined) {
      this.end();
      // Whoever answers it skips the rest.
      this.#request.pause();
    }
    this.#done(refusal);
  }
}
