import { z } from "zod";
import type { Principal } from "../../accounts/principal.ts";
import { problem } from "../problem.ts";
import type { Service } from "../service.ts";
import {
  type AuthorizationRequest,
  type NoClient,
  readAuthorizationRequest,
  type SentBack,
} from "./authorization-request.ts";
import type { Client } from "./client.ts";
import { registeredClient } from "./registered-client.ts";

const LONGEST_QUERY = 16 * 1024;

/** That of the page's own address, as the client wrote it. */
export const QUERY = z.string().max(LONGEST_QUERY);

export const NO_ADDRESS = problem("invalid_request", "The host of this address can't be used.");

/** The request that the page was opened with, read anew each time: nothing of it is kept. */
export function readRequest(
  { oauth }: Pick<Service, "oauth">,
  { user }: Principal,
  { address, query }: { readonly address: string; readonly query: string },
): Promise<AuthorizationRequest | NoClient | SentBack> {
  const findClient = async (id: string): Promise<Client | undefined> =>
    registeredClient(id) ?? oauth.documents.client(id, user);
  return readAuthorizationRequest(query, { address, findClient });
}
