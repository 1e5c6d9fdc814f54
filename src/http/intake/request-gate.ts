import type { ServerResponse } from "node:http";
import { networkOf } from "../../accounts/network-of.ts";
import { forwardedOf } from "../../accounts/passing.ts";
import type { Charge, MemoryLedger } from "../../charges/memory-ledger.ts";
import { payingNetwork } from "../../charges/payer.ts";
import type { Connection, Connections, Exchange } from "./connections.ts";
import { holdReading } from "./hold-reading.ts";
import { GUARD_HEADERS } from "../answer/guard-headers.ts";
import {
  problem,
  PROBLEM_STATUS,
  problemBody,
  retryAfterSeconds,
  type Problem,
} from "../problem.ts";
import type { PacedReading } from "./paced-reading.ts";
import type { RequestTurns } from "./request-turns.ts";
import type { SkippedBodies } from "./skipped-bodies.ts";

/** What a request takes that waits, with the answer that it is to get. */
const BYTES_PER_REQUEST = 4 * 1024;

const TOO_MANY = problem("rate_limited", "There are too many requests from this address.", 1000);

interface RequestGateOptions {
  readonly connections: Connections;
  readonly turns: RequestTurns;
  readonly memory: MemoryLedger;
  readonly skipped: SkippedBodies;
  readonly reading: PacedReading;
  /** Requests of one network that are under way at one time, where proxies stand between. */
  readonly requestsPerAddress: number;
  /** Answers a request. */
  readonly handle: (exchange: Exchange) => void;
}

/** The requests of one connection that wait for the one before them: one at least. */
interface Pipeline {
  /** Charged. [Q15] */
  readonly waiting: Exchange[];
  readonly charge: Charge;
  readonly readOn: () => void;
  readonly forget: () => void;
}

/**
 * Where requests come in. Those of one connection are taken one after the other, however many have
 * come at once, and meanwhile no more of it is read; what else its network sends is read in turn. The
 * time that it takes to look at them is shared between the networks that they come from.
 */
export class RequestGate {
  readonly #options: RequestGateOptions;
  /** Of connections on which more was asked than is answered. [Q15] */
  readonly #pipelines = new Map<Connection, Pipeline>();
  /** By network, of requests that came by way of a proxy. [Q10] */
  readonly #underWay = new Map<string, number>();

  constructor(options: RequestGateOptions) {
    this.#options = options;
  }

  take(exchange: Exchange): void {
    const connection = this.#options.connections.of(exchange.request.socket);
    // What comes on a connection that was refused is not looked at.
    if (connection === undefined) return;
    if (connection.current === undefined) this.#begin(connection, exchange);
    else this.#wait(connection, exchange);
  }

  /** What another process has passed on, which has counted its connection. */
  takePassed({ request, response }: Exchange): void {
    const { turns, skipped, handle } = this.#options;
    const network = networkOf(forwardedOf(request)?.address ?? "");
    skipped.watch(request, response, network);
    void turns.run(payingNetwork(network), () => {
      if (!response.destroyed) handle({ request, response });
    });
  }

  #begin(connection: Connection, exchange: Exchange): void {
    const { connections, turns, skipped, handle } = this.#options;
    const { request, response } = exchange;
    connections.begin(connection, exchange);
    const network = connections.networkOf(connection, request.headers);
    const isCounted = connection.isProxied && this.#count(network);
    response.once("close", () => {
      if (isCounted) this.#uncount(network);
      this.#end(connection);
    });
    skipped.watch(request, response, network);
    if (connection.isProxied && !isCounted) return refuse(response, TOO_MANY);
    void turns.run(payingNetwork(network), () => {
      if (!response.destroyed) handle(exchange);
    });
  }

  #end(connection: Connection): void {
    this.#options.connections.end(connection);
    const pipeline = this.#pipelines.get(connection);
    const next = pipeline?.waiting.shift();
    if (pipeline === undefined || next === undefined) return;
    if (pipeline.waiting.length === 0) this.#forget(connection);
    else pipeline.charge.set(pipeline.waiting.length * BYTES_PER_REQUEST);
    if (!connection.socket.destroyed) this.#begin(connection, next);
  }

  #wait(connection: Connection, exchange: Exchange): void {
    const { waiting, charge } = this.#pipelines.get(connection) ?? this.#newPipeline(connection);
    waiting.push(exchange);
    charge.set(waiting.length * BYTES_PER_REQUEST);
  }

  #newPipeline(connection: Connection): Pipeline {
    const { socket, network } = connection;
    const charge = this.#options.memory.open(payingNetwork(network), () => socket.destroy());
    const forget = (): void => this.#forget(connection);
    const pipeline: Pipeline = { waiting: [], charge, readOn: holdReading(socket), forget };
    this.#pipelines.set(connection, pipeline);
    socket.once("close", forget);
    // One address of a proxy stands for many people.
    const { connections, reading } = this.#options;
    if (!connection.isProxied) reading.begin(network, connections.ofNetwork(network));
    return pipeline;
  }

  /** Nothing waits any more. */
  #forget(connection: Connection): void {
    const pipeline = this.#pipelines.get(connection);
    if (pipeline === undefined) return;
    this.#pipelines.delete(connection);
    pipeline.charge.end();
    connection.socket.off("close", pipeline.forget);
    if (connection.socket.destroyed) pipeline.readOn();
    else this.#options.reading.readOn(connection.network, pipeline.readOn);
  }

  /** @returns false where there are too many */
  #count(network: string): boolean {
    const underWay = this.#underWay.get(network) ?? 0;
    if (underWay >= this.#options.requestsPerAddress) return false;
    this.#underWay.set(network, underWay + 1);
    return true;
  }

  #uncount(network: string): void {
    const left = (this.#underWay.get(network) ?? 0) - 1;
    if (left > 0) this.#underWay.set(network, left);
    else this.#underWay.delete(network);
  }
}

/** Answers a request that nothing else looks at. */
function refuse(response: ServerResponse, refusal: Problem): void {
  const body = problemBody(refusal);
  response.writeHead(PROBLEM_STATUS[refusal.code], {
    ...GUARD_HEADERS,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "retry-after": String(retryAfterSeconds(refusal.retryAfterMs ?? 0)),
  });
  response.end(body);
}
