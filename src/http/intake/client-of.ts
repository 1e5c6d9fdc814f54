import type { FastifyRequest } from "fastify";
import { forwardedOf } from "../../accounts/passing.ts";

/** Of the client, as far as it can be believed; whichever process it has reached. */
export function addressOf(request: FastifyRequest): string {
  return forwardedOf(request.raw)?.address ?? request.ip;
}

/** The `Host` that the client asked. */
export function hostOf(request: FastifyRequest): string {
  return forwardedOf(request.raw)?.host ?? request.host;
}
