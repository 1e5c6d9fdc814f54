import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Admission } from "./admission.ts";
import { AllowedMethodsTable } from "./allowed-methods.ts";
import { DONE_ANSWER } from "./operation.ts";
import { problem, type Problem } from "./problem.ts";
import { reportedProblem } from "./problem-of-error.ts";
import { COMMON_HEADERS, sendAnswer } from "./send-answer.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** No key is needed. */
    isPublic?: boolean;
  }
}

const NO_SUCH_ROUTE = problem("not_found", "There is no such route.");
const BROKEN_PATH = problem("invalid_request", "The path has a broken percent-encoding.");

/**
 * Answers what the router finds no route for: 404, or 405 with the methods that the path has. As on
 * routes the key comes first, so that a stranger learns nothing of what is there.
 */
export class UnroutedRequests {
  readonly #admission: Admission;
  readonly #allowed = new AllowedMethodsTable();

  constructor(admission: Admission) {
    this.#admission = admission;
  }

  /** Takes note of every route that is added from now on, and answers what none of them fits. */
  watch(app: FastifyInstance): void {
    app.addHook("onRoute", ({ method, url, config }) => {
      for (const one of [method].flat()) this.#allowed.add(url, one, config?.isPublic ?? false);
    });
    // In the first hook, since afterwards the body would be read and might be refused before this.
    app.addHook("onRequest", async (request, reply) =>
      request.is404 ? this.#answer(request, reply) : undefined,
    );
  }

  /** Answers a path that can't be decoded. No hook runs for these. */
  async answerBrokenPath(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.headers(COMMON_HEADERS);
    const refusal = await this.#refusal(request).catch((error: unknown) =>
      reportedProblem(error, request),
    );
    sendAnswer(reply, refusal ?? BROKEN_PATH);
  }

  async #answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const allowed = this.#allowed.of(request.url.split("?", 1)[0] ?? "");
    const refusal = allowed?.isPublic === true ? undefined : await this.#refusal(request);
    if (refusal !== undefined) return sendAnswer(reply, refusal);
    if (allowed === undefined) return sendAnswer(reply, NO_SUCH_ROUTE);
    reply.header("allow", allowed.allow);
    if (request.method === "OPTIONS") return sendAnswer(reply, DONE_ANSWER);
    return sendAnswer(reply, problem("method_not_allowed", `It has only ${allowed.allow}.`));
  }

  async #refusal(request: FastifyRequest): Promise<Problem | undefined> {
    const admitted = await this.#admission.admit(request, undefined);
    return admitted.kind === "problem" ? admitted : undefined;
  }
}
