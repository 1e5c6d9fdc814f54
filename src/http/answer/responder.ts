import { Readable } from "node:stream";
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import { networkOf } from "../../accounts/network-of.ts";
import type { MemoryLedger } from "../../charges/memory-ledger.ts";
import { payingNetwork, type Payer } from "../../charges/payer.ts";
import type { AppFile } from "../app-files.ts";
import { isNamed } from "./entity-tag.ts";
import { FREE_BYTES } from "../intake/body-intake.ts";
import { Compression } from "./compression.ts";
import { GUARD_HEADERS } from "./guard-headers.ts";
import { holdAnswer } from "./hold-answer.ts";
import type { Answer, EventStream } from "../operation.ts";
import { dispositionOf } from "./disposition.ts";
import {
  PROBLEM_STATUS,
  problemBody,
  retryAfterSeconds,
  type Problem,
  type ProblemCode,
} from "../problem.ts";
import { problemOfError } from "../problem-of-error.ts";
import { addressOf } from "../intake/client-of.ts";
import { metadataAddress } from "../oauth/service-address.ts";
import type { LimitLeft } from "../request-limits.ts";
import type { RequestTimes } from "./request-times.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** When the request came, by `performance.now`; undefined again once it is counted. */
    startedAt: number | undefined;
  }
}

/** Whoever runs the server has to look at it. */
const NEEDS_SOMEBODY: ReadonlySet<ProblemCode> = new Set([
  "internal",
  "outline_corrupt",
  "outline_newer",
]);

/** The route of requests that none fits. */
const NO_ROUTE = "none";
/** The route of all files of the web app, whose names change with each of its versions. */
const APP_FILE = "app";

const JSON_TYPE = "application/json; charset=utf-8";

/** The body of an answer, for `reply.send`; undefined is none. */
export type Payload = string | Buffer | Readable | undefined;

/** Something else than JSON. */
export interface Page {
  readonly contentType: string;
  /** Its `Content-Security-Policy`; without one it may load nothing and be in no frame. */
  readonly policy?: string;
  readonly text: string;
}

/** A file of the web app with its body, or without one when it is not sent again. */
interface FileAnswer {
  readonly status: 200 | 304;
  readonly file: AppFile;
  readonly body?: Buffer;
}

interface ResponderOptions {
  /** At which the client of a request knows the service. */
  readonly addressOf: (request: FastifyRequest) => string | undefined;
  readonly times: RequestTimes;
  readonly memory: MemoryLedger;
  readonly logger: FastifyBaseLogger;
}

/** Answers requests, in the one form that all answers have, and keeps count of them. */
export class Responder {
  readonly #times: RequestTimes;
  readonly #memory: MemoryLedger;
  readonly #compression: Compression;
  readonly #logger: FastifyBaseLogger;
  readonly #addressOf: ResponderOptions["addressOf"];

  constructor({ times, memory, logger, addressOf }: ResponderOptions) {
    this.#addressOf = addressOf;
    this.#times = times;
    this.#memory = memory;
    this.#compression = new Compression(memory);
    this.#logger = logger;
  }

  /** Sends an answer. */
  send(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
    return reply.send(this.payload(request, reply, answer, request.routeOptions.url));
  }

  /** Sends what is not JSON. */
  sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
    setHeaders(reply, page.contentType);
    if (page.policy !== undefined) reply.header("content-security-policy", page.policy);
    this.#finished(request, request.routeOptions.url, 200);
    return reply.send(this.#held(request, reply, page.text));
  }

  /** Sends a file of the web app, or only says that the copy the client has is still good. */
  sendFile(
    request: FastifyRequest,
    reply: FastifyReply,
    { status, file, body }: FileAnswer,
  ): FastifyReply {
    reply.code(status);
    if (body !== undefined) reply.header("content-type", file.contentType);
    this.#finished(request, APP_FILE, status);
    return reply.send(body);
  }

  /** Answers a request that ended in an exception; what people have to look at is logged. */
  sendFailure(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    const problem = problemOfError(error);
    this.#noteFailure(request, problem, error);
    return this.send(request, reply, problem);
  }

  #noteFailure(request: FastifyRequest, { code }: Problem, error: unknown): void {
    if (!NEEDS_SOMEBODY.has(code)) return;
    this.#logger.error({ err: error, route: request.routeOptions.url }, "request failed");
  }

  /** Sets status and headers of an answer. @returns its body, for those who send it themselves */
  payload(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: Answer,
    route: string | undefined,
  ): Payload {
    setHeaders(reply, JSON_TYPE);
    tellLimits(reply, request.limitsLeft ?? []);
    if (typeof answer === "string") {
      this.#finished(request, route, 200);
      return this.#held(request, reply, answer);
    }
    if (answer instanceof Readable) return this.#streamed(request, reply, answer, route);
    switch (answer.kind) {
      case "tagged": {
        const { text, tag } = answer;
        reply.header("etag", tag);
        const isKnown = isNamed(request.raw.headers["if-none-match"], tag);
        this.#finished(request, route, isKnown ? 304 : 200);
        if (!isKnown) return text;
        reply.code(304).removeHeader("content-type");
        return undefined;
      }
      case "status": {
        const { status, text } = answer;
        reply.code(status);
        this.#finished(request, route, status);
        if (text !== undefined) return this.#held(request, reply, text);
        reply.removeHeader("content-type");
        return undefined;
      }
      case "replayed":
        reply.header("idempotent-replayed", "true");
        this.#finished(request, route, 200);
        return this.#held(request, reply, answer.text);
      case "events":
        return this.#events(request, reply, answer, route);
      case "file":
        reply.header("content-type", answer.contentType);
        reply.header("content-disposition", dispositionOf(answer.fileName));
        if (answer.content instanceof Readable) {
          return this.#streamed(request, reply, answer.content, route);
        }
        this.#finished(request, route, 200);
        return answer.content;
      case "problem":
        return this.#refusal(request, reply, answer, route);
    }
  }

  #refusal(
    request: FastifyRequest,
    reply: FastifyReply,
    problem: Problem,
    route: string | undefined,
  ): string {
    const { code, retryAfterMs } = problem;
    // A stream that failed before its first byte was to be compressed.
    reply.removeHeader("content-encoding");
    reply.removeHeader("content-disposition");
    if (retryAfterMs !== undefined) {
      reply.header("retry-after", String(retryAfterSeconds(retryAfterMs)));
    }
    if (code === "unauthorized") reply.header("www-authenticate", this.#challengeFor(request));
    reply.code(PROBLEM_STATUS[code]);
    this.#finished(request, route, PROBLEM_STATUS[code], code);
    return problemBody(problem);
  }

  #streamed(
    request: FastifyRequest,
    reply: FastifyReply,
    stream: Readable,
    route: string | undefined,
  ): Payload {
    const isWanted = request.method !== "HEAD";
    if (!isWanted) stream.destroy();
    const body = isWanted ? stream : Readable.from([]);
    const sent = this.#compression.pack(request, reply, payerOf(request), body);
    return sent.once("close", () => {
      const { status, code } = outcomeOf(sent);
      this.#finished(request, route, status, code);
    });
  }

  /** What a client needs that shows no valid key (RFC 6750, 3; RFC 9728, 5.1). */
  #challengeFor(request: FastifyRequest): string {
    const isForAssistants = request.routeOptions.config?.isForAssistants === true;
    const address = isForAssistants ? this.#addressOf(request) : undefined;
    if (address === undefined) return "Bearer";
    const isShown = request.raw.headers.authorization !== undefined;
    const error = isShown ? 'error="invalid_token", ' : "";
    return `Bearer ${error}resource_metadata="${metadataAddress(address)}"`;
  }

  /** Counted when it begins: nobody waits for its end. */
  #events(
    request: FastifyRequest,
    reply: FastifyReply,
    { stream }: EventStream,
    route: string | undefined,
  ): Payload {
    reply.header("content-type", "text/event-stream");
    // Proxies that hold answers back until they are long are told not to.
    reply.header("x-accel-buffering", "no");
    this.#finished(request, route, 200);
    return stream.once("error", (error) =>
      this.#noteFailure(request, problemOfError(error), error),
    );
  }

  /** Long answers are charged to whom they are for. Files are in memory once, whoever reads them. */
  #held(request: FastifyRequest, reply: FastifyReply, text: string): Payload {
    if (Buffer.byteLength(text) <= FREE_BYTES) return text;
    const payer = payerOf(request);
    // Encoded here, in the turn of who asked, and not when the connection takes it.
    const bytes = Buffer.from(text);
    holdAnswer(this.#memory, payer, reply.raw, bytes.length);
    return this.#compression.pack(request, reply, payer, bytes);
  }

  /** Another process answers. */
  passedOn(request: FastifyRequest, status: number): void {
    this.#finished(request, request.routeOptions.url, status);
  }

  #finished(
    request: FastifyRequest,
    route: string | undefined,
    status: number,
    code?: ProblemCode,
  ): void {
    const { method, startedAt } = request;
    if (startedAt === undefined) return;
    request.startedAt = undefined;
    const durationMs = performance.now() - startedAt;
    const label = route ?? NO_ROUTE;
    this.#times.observe({ method, route: label, status }, durationMs / 1000);
    // The pattern of the route: an address may hold the name of a shortcut.
    // Refused or let in here, or passed on to another process.
    const key = request.keyId ?? request.admitted?.principal.keyId;
    const line = { method, route: label, status, code, durationMs, key };
    if (status < 400) this.#logger.debug(line, "request");
    else this.#logger.info(line, "request");
  }
}

function payerOf(request: FastifyRequest): Payer {
  return request.admitted?.holder ?? payingNetwork(networkOf(addressOf(request)));
}

function setHeaders(reply: FastifyReply, contentType: string): void {
  reply.headers(GUARD_HEADERS);
  reply.header("content-type", contentType);
}

/** As the IETF's draft of the `RateLimit` headers has it. */
function tellLimits(reply: FastifyReply, limits: readonly LimitLeft[]): void {
  if (limits.length === 0) return;
  const policies = limits.map(
    ({ of, count, windowMs }) => `"${of}";q=${count};w=${windowMs / 1000}`,
  );
  const states = limits.map(
    ({ of, left, wholeInMs }) => `"${of}";r=${left};t=${Math.ceil(wholeInMs / 1000)}`,
  );
  reply.header("ratelimit-policy", policies.join(", "));
  reply.header("ratelimit", states.join(", "));
}

/** What a streamed answer counts as: all of it, broken off by a failure, or left by the client. */
function outcomeOf(answer: Readable): { readonly status: number; readonly code?: ProblemCode } {
  if (answer.readableEnded) return { status: 200 };
  if (answer.errored === null) return { status: 499 };
  const { code } = problemOfError(answer.errored);
  return { status: PROBLEM_STATUS[code], code };
}
