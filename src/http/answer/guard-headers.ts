import type { FastifyRequest } from "fastify";
import { forwardedOf } from "../../accounts/passing.ts";
import type { HttpLimits } from "../http-limits.ts";

/**
 * Of every answer, whatever it is: a browser guesses no other type, keeps no copy, lets it load
 * nothing, be in no frame and be part of no other site's page, and tells nobody its address. What the
 * web app and the documentation need beyond that they say themselves.
 */
export const GUARD_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
} as const;

/** Tells browsers to come by TLS only, from now on; for answers that came by it. */
export const TLS_HEADER = ["strict-transport-security", "max-age=31536000"] as const;

/** Whether a request came by TLS: says a trusted proxy, or whoever runs the server. */
export function isByTls(request: FastifyRequest, { secureCookies }: HttpLimits): boolean {
  return secureCookies || (forwardedOf(request.raw)?.isByTls ?? request.protocol === "https");
}
