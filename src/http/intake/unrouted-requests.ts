import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Admission } from "./admission.ts";
import { AllowedMethodsTable, type AllowedMethods } from "./allowed-methods.ts";
import { DONE_ANSWER, type Answer } from "../operation.ts";
import { problem } from "../problem.ts";
import type { Responder } from "../answer/responder.ts";

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
  readonly #responder: Responder;
  readonly #allowed = new AllowedMethodsTable();

  constructor(admission: Admission, responder: Responder) {
    this.#admission = admission;
    this.#responder = responder;
  }

  /** Takes note of every route that is added from now on. */
  watch(app: FastifyInstance): void {
    app.addHook("onRoute", ({ method, url, config }) => {
      for (const one of [method].flat()) this.#allowed.add(url, one, config?.isPublic ?? false);
    });
  }

  /** Answers a request that none of the routes fits. */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#answerWith(request, reply, this.#allowed.of(request.url));
  }

  /** Answers a request whose path can't be decoded. */
  async answerBrokenPath(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#answerWith(request, reply, "broken");
  }

  async #answerWith(
    request: FastifyRequest,
    reply: FastifyReply,
    path: AllowedMethods | "broken" | undefined,
  ): Promise<void> {
    const isPublic = typeof path === "object" && path.isPublic;
    try {
      const admitted = isPublic ? undefined : await this.#admission.admit(request, undefined);
      const refusal = admitted?.kind === "problem" ? admitted : undefined;
      this.#responder.send(request, reply, refusal ?? answerOf(path, request.method, reply));
    } catch (error) {
      this.#responder.sendFailure(request, reply, error);
    }
  }
}

function answerOf(
  path: AllowedMethods | "broken" | undefined,
  method: string,
  reply: FastifyReply,
): Answer {
  if (path === undefined) return NO_SUCH_ROUTE;
  if (path === "broken") return BROKEN_PATH;
  reply.header("allow", path.allow);
  if (method === "OPTIONS") return DONE_ANSWER;
  return problem("method_not_allowed", `This route has only ${path.allow}.`);
}
