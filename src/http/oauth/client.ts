import { z } from "zod";
import { beginningOf } from "../../core/text/beginning-of.ts";
import { isRedirectAddress } from "./redirect-address.ts";

/** An OAuth client, as far as anybody can tell. */
export interface Client {
  readonly id: string;
  /** What it calls itself. */
  readonly name: string;
  /** The host that answers for it; undefined for one that has only registered itself. */
  readonly host: string | undefined;
  readonly redirectUris: readonly string[];
}

const LONGEST_NAME = 100;
const MOST_ADDRESSES = 10;

/** What is looked at of a client's metadata (RFC 7591, 2). */
export const CLIENT_METADATA = z.object({
  client_name: z.string().optional(),
  redirect_uris: z
    .array(
      z.string().refine(isRedirectAddress, "must be https, or http to the person's own machine"),
    )
    .min(1)
    .max(MOST_ADDRESSES),
  token_endpoint_auth_method: z.string().optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
});

export type ClientMetadata = z.output<typeof CLIENT_METADATA>;

/** A name that can be shown: on one line, without characters that change what stands around it. */
export function shownName(name: string | undefined): string {
  const shown = beginningOf((name ?? "").replace(/[\p{C}\p{Z}]+/gu, " ").trim(), LONGEST_NAME);
  return shown === "" ? "A program without a name" : shown;
}
