import type { FastifyReply, FastifyRequest } from "fastify";
import { forwardedOf, MOST_ATTEMPTS, MOST_HOPS, type Passing } from "../accounts/passing.ts";
import { type Admission, type Admitted, type Elsewhere, NO_OWNER } from "./intake/admission.ts";
import { addressOf, hostOf } from "./intake/client-of.ts";
import { isByTls } from "./answer/guard-headers.ts";
import type { HttpLimits } from "./http-limits.ts";
import type { Needs } from "./operation.ts";
import { problem, type Problem } from "./problem.ts";
import type { Responder } from "./answer/responder.ts";

const UNCERTAIN = problem(
  "unavailable",
  "The process that served the outline has ended. Whether this was done is not known.",
  1000,
);

interface PassingOnParts {
  readonly passing: Passing;
  readonly admission: Admission;
  readonly responder: Responder;
  readonly limits: HttpLimits;
}

/** Has the process that serves the outline of a request answer it. */
export class PassingOn {
  readonly #parts: PassingOnParts;

  constructor(parts: PassingOnParts) {
    this.#parts = parts;
  }

  /**
   * @returns undefined when it is answered, or the client has gone; else how it is to be answered here
   */
  async answer(
    {
      request,
      reply,
      needs,
    }: {
      readonly request: FastifyRequest;
      readonly reply: FastifyReply;
      readonly needs: Needs;
    },
    elsewhere: Elsewhere,
  ): Promise<Admitted | Problem | undefined> {
    const { passing, admission, responder, limits } = this.#parts;
    const hops = (forwardedOf(request.raw)?.hops ?? 0) + 1;
    if (hops > MOST_HOPS) return NO_OWNER;
    request.admitted = elsewhere.admitted;
    const forwarded = {
      address: addressOf(request),
      isByTls: isByTls(request, limits),
      host: hostOf(request),
      hops,
    };
    let { owner } = elsewhere;
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const outcome = await passing.request({
        owner,
        request: request.raw,
        response: reply.raw,
        forwarded,
        onAnswer: (status) => {
          reply.hijack();
          responder.passedOn(request, status);
        },
      });
      if (outcome === "answered" || reply.raw.destroyed) return undefined;
      if (outcome === "failed") return UNCERTAIN;
      passing.forget(elsewhere.admitted.principal.outline);
      const place = await admission.admitOrPass(request, needs);
      if (place.kind !== "elsewhere") return place;
      owner = place.owner;
    }
    return NO_OWNER;
  }
}
