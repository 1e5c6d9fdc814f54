import type { FastifyInstance } from "fastify";
import { DONE_ANSWER } from "./operation.ts";
import { problem, type Problem } from "./problem.ts";
import type { Responder } from "./answer/responder.ts";

const PROBE_TIMEOUT_MS = 5000;
/** Asking is free for anyone; a probe writes to the disk. */
const PROBE_INTERVAL_MS = 1000;

const LEAVING = problem("unavailable", "draining", 1000);
const NOT_READY = problem("unavailable", "The store does not answer.", 1000);

/**
 * For those who watch the service: `/healthz` says that the process answers, `/readyz` that the
 * store works too. Neither needs a key, and neither tells of anyone.
 */
export function addHealthRoutes(
  app: FastifyInstance,
  responder: Responder,
  probeStore: () => Promise<void>,
  now: () => number,
  isLeaving: () => boolean,
): void {
  const readiness = new Readiness(probeStore, now);

  app.get("/healthz", { config: { isPublic: true } }, (request, reply) =>
    responder.send(request, reply, DONE_ANSWER),
  );
  app.get("/readyz", { config: { isPublic: true } }, async (request, reply) =>
    responder.send(
      request,
      reply,
      isLeaving() ? LEAVING : ((await readiness.problem()) ?? DONE_ANSWER),
    ),
  );
}

/** Asks the store at most once a second, however often and by how many it is asked itself. */
class Readiness {
  readonly #probe: () => Promise<void>;
  readonly #now: () => number;
  #answeredAt = -Infinity;
  #answer: Problem | undefined = NOT_READY;
  #asking: Promise<Problem | undefined> | undefined;

  constructor(probe: () => Promise<void>, now: () => number) {
    this.#probe = probe;
    this.#now = now;
  }

  async problem(): Promise<Problem | undefined> {
    if (Math.abs(this.#now() - this.#answeredAt) < PROBE_INTERVAL_MS) return this.#answer;
    this.#asking ??= this.#ask();
    return this.#asking;
  }

  async #ask(): Promise<Problem | undefined> {
    this.#answer = await withinTime(this.#probe(), PROBE_TIMEOUT_MS).then(
      () => undefined,
      () => NOT_READY,
    );
    this.#answeredAt = this.#now();
    this.#asking = undefined;
    return this.#answer;
  }
}

function withinTime(work: Promise<void>, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("timed out")), timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
