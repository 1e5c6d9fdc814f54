import { pipeline, Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { MemoryLedger } from "../../charges/memory-ledger.ts";
import type { Payer } from "../../charges/payer.ts";
import { FairGate } from "../../documents/turns/fair-gate.ts";
import { acceptedCodings } from "./accepted-codings.ts";
import { GzipStream } from "./gzip-stream.ts";
import { holdAnswer } from "./hold-answer.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Its long answers are compressed where the client accepts that. They hold no secrets of keys. */
    isCompressed?: boolean;
  }
}

/** What the compressor of one answer takes: 230 KB for what came before, and what it has just made. */
const COMPRESSOR_BYTES = 320 * 1024;
/** Threads of the pool that compress at one time: the others are for the store. */
const AT_ONCE = 1;

/**
 * Compresses long answers for clients that accept gzip. The memory for it is charged to whom the
 * answer is for; where that payer has no room the answer is sent as it is. One piece of all answers
 * is compressed at a time, in turn between payers. [Q25]
 */
export class Compression {
  readonly #memory: MemoryLedger;
  readonly #gate = new FairGate<Payer>(AT_ONCE);

  constructor(memory: MemoryLedger) {
    this.#memory = memory;
  }

  /**
   * Sets the headers, and compresses the answer if it is to be. A stream that this is given is
   * destroyed with what it returns, and the other way round, by the same error.
   * @param answer a long one: what is short comes with the first packets of a connection anyhow
   */
  pack(request: FastifyRequest, reply: FastifyReply, payer: Payer, answer: Readable): Readable;
  pack(
    request: FastifyRequest,
    reply: FastifyReply,
    payer: Payer,
    answer: Buffer | Readable,
  ): Buffer | Readable;
  pack(
    request: FastifyRequest,
    reply: FastifyReply,
    payer: Payer,
    answer: Buffer | Readable,
  ): Buffer | Readable {
    if (request.routeOptions.config.isCompressed !== true) return answer;
    reply.header("vary", "accept-encoding");
    const isAccepted = acceptedCodings(request.raw.headers["accept-encoding"]).has("gzip");
    if (!isAccepted || !this.#memory.hasRoomFor(payer, COMPRESSOR_BYTES)) return answer;
    reply.header("content-encoding", "gzip");
    if (request.method === "HEAD") {
      if (answer instanceof Readable) return answer;
      // As long as the compressed one, which nobody knows.
      return Readable.from([]);
    }
    holdAnswer(this.#memory, payer, reply.raw, COMPRESSOR_BYTES);
    const packed = new GzipStream((work) => this.#gate.pass(payer, work));
    if (!(answer instanceof Readable)) return packed.end(answer);
    // Who reads the outcome sees the error.
    pipeline(answer, packed, () => undefined);
    return packed;
  }
}
