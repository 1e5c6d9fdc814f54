import type { IncomingMessage, ServerResponse } from "node:http";
import { FairQueue } from "../../documents/turns/fair-queue.ts";
import { holdReading } from "./hold-reading.ts";
import { isInSmallPieces } from "./small-pieces.ts";

/** How many are read on in one turn of the event loop, each by a read buffer of 64 KiB. */
const AT_ONCE = 8;

/**
 * What is left of bodies whose requests are answered already: it is read and forgotten, so that the
 * client sees its answer and the connection is good for more. A little of it in each turn of the event
 * loop, in turn between the networks; meanwhile the rest waits at its sender's.
 */
export class SkippedBodies {
  readonly #yieldNow: () => Promise<void>;
  /** One for each connection at most. [Q10] */
  readonly #waiting = new FairQueue<string, () => void>();
  #isRunning = false;

  constructor(yieldNow: () => Promise<void>) {
    this.#yieldNow = yieldNow;
  }

  /** Sees to it that what is left of a body when its request is answered will be skipped. */
  watch(request: IncomingMessage, response: ServerResponse, network: string): void {
    const { headers } = request;
    const hasBody =
      headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined;
    // Before Node itself reads all that comes.
    if (hasBody) response.prependOnceListener("finish", () => this.#skip(request, network));
  }

  #skip(request: IncomingMessage, network: string): void {
    if (request.complete || request.destroyed) return;
    let bytes = 0;
    let pieces = 0;
    let isHeld = false;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      pieces += 1;
      if (isInSmallPieces(bytes, pieces)) request.socket.destroy();
      if (isHeld) return;
      isHeld = true;
      const readOn = holdReading(request.socket);
      this.#waiting.add(network, () => {
        isHeld = false;
        readOn();
      });
      if (!this.#isRunning) void this.#run();
    });
    request.resume();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (!this.#waiting.isEmpty) {
      await this.#yieldNow();
      for (let count = 0; count < AT_ONCE; count += 1) this.#waiting.take()?.();
    }
    this.#isRunning = false;
  }
}
