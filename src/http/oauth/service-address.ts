import type { FastifyRequest } from "fastify";
import { hostOf } from "../intake/client-of.ts";
import { isByTls } from "../answer/guard-headers.ts";
import type { HttpLimits } from "../http-limits.ts";

/** A name or address with a port, and nothing that means something in a header or a URL. */
const HOST = /^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

/** Where the endpoint for assistants is, below the address of the service. */
export const MCP_PATH = "/mcp";

/**
 * The address at which the client of a request knows the service, `https://outline.example`: the issuer
 * of its tokens. As it is set, else as it was asked. Undefined when the host it asked for can be none.
 */
export function serviceAddress(request: FastifyRequest, limits: HttpLimits): string | undefined {
  if (limits.publicUrl !== "") return limits.publicUrl;
  const host = hostOf(request);
  return HOST.test(host)
    ? `${isByTls(request, limits) ? "https" : "http"}://${host.toLowerCase()}`
    : undefined;
}

/** Whether a client means the endpoint for assistants of the service at an address (RFC 8707). */
export function isResource(text: string, address: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, pathname, search, hash } = new URL(text);
  const isThere = origin === new URL(address).origin && search === "" && hash === "";
  return isThere && pathname.replace(/\/$/, "") === MCP_PATH;
}

/** Where the client of a request without a valid token reads how it gets one (RFC 9728, 5.1). */
export function metadataAddress(address: string): string {
  return `${address}/.well-known/oauth-protected-resource${MCP_PATH}`;
}
