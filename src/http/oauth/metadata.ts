import { MCP_PATH } from "./service-address.ts";

/** What may be asked for; who may write may read. */
export const SCOPES = ["read", "write"] as const;

/** What the endpoint for assistants says of itself (RFC 9728). */
export function resourceMetadata(address: string): object {
  return {
    resource: address + MCP_PATH,
    authorization_servers: [address],
    scopes_supported: SCOPES,
    bearer_methods_supported: ["header"],
    resource_name: "Outline",
    resource_documentation: `${address}/docs`,
  };
}

/** What the service says of itself as an authorization server (RFC 8414). */
export function serverMetadata(address: string): object {
  return {
    issuer: address,
    authorization_endpoint: `${address}/oauth/authorize`,
    token_endpoint: `${address}/oauth/token`,
    registration_endpoint: `${address}/oauth/register`,
    revocation_endpoint: `${address}/oauth/revoke`,
    scopes_supported: SCOPES,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    // RFC 9207.
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}
