import { askServer } from "../page/ask-server.ts";
import { isRecord } from "../page/is-record.ts";

/** What a program asks for, as the server has found it out. */
export interface Asked {
  readonly kind: "asked";
  readonly clientName: string;
  /** Who answers for the name; undefined where nobody does. */
  readonly clientHost: string | undefined;
  /** Where the browser goes afterwards. */
  readonly redirectHost: string;
  /** That is a program on this machine. */
  readonly isLocal: boolean;
  /** The most that it asks for. */
  readonly scope: "read" | "write";
  readonly user: string;
  /** Unix seconds: no key that is made here lives longer. */
  readonly expiresAt: number | undefined;
}

/** What the person has chosen. */
export interface Decision {
  readonly allow: boolean;
  readonly scope?: "read" | "write";
  readonly root_id?: string | undefined;
  /** Unix seconds. */
  readonly expiresAt?: number | undefined;
}

export type ConsentAnswer =
  /** Where the browser goes now. */
  | { readonly kind: "leave"; readonly to: string }
  | { readonly kind: "sign_in" }
  /** This session may not, or what is asked for can't be. */
  | { readonly kind: "refused"; readonly reason: string; readonly isOfSession: boolean }
  | { readonly kind: "unreachable" };

export interface FoundPart {
  readonly id: string;
  readonly name: string;
  readonly path: string;
}

const TIMEOUT_MS = 15_000;
const MOST_FOUND = 6;

/** @param query that of the page, as the program wrote it */
export async function readAsked(ask: typeof fetch, query: string): Promise<Asked | ConsentAnswer> {
  const answer = await post(ask, "/oauth/request", { query });
  if (answer.kind !== "body") return answer;
  return leaveOf(answer.body) ?? askedOf(answer.body) ?? { kind: "unreachable" };
}

export async function decide(
  ask: typeof fetch,
  query: string,
  decision: Decision,
): Promise<ConsentAnswer> {
  const answer = await post(ask, "/oauth/consent", { query, ...decision });
  if (answer.kind !== "body") return answer;
  return leaveOf(answer.body) ?? { kind: "unreachable" };
}

/** Lines that have some words, for the part that a program may see. */
export async function findParts(ask: typeof fetch, words: string): Promise<readonly FoundPart[]> {
  const search = new URLSearchParams({ q: words, limit: String(MOST_FOUND), include: "path" });
  const body = (await askServer(ask, "GET", `/api/v1/search?${search}`, undefined, TIMEOUT_MS))
    ?.body;
  const matches = isRecord(body) ? body["matches"] : undefined;
  return Array.isArray(matches) ? matches.flatMap(partOf) : [];
}

type Body = { readonly kind: "body"; readonly body: Readonly<Record<string, unknown>> };

async function post(ask: typeof fetch, path: string, body: unknown): Promise<Body | ConsentAnswer> {
  const answer = await askServer(ask, "POST", path, body, TIMEOUT_MS);
  if (answer?.status === 401) return { kind: "sign_in" };
  if (!isRecord(answer?.body)) return { kind: "unreachable" };
  if (answer.status < 300) return { kind: "body", body: answer.body };
  const { message } = answer.body;
  const reason = typeof message === "string" ? message : `The server says ${answer.status}.`;
  return { kind: "refused", reason, isOfSession: answer.status === 403 };
}

function leaveOf({ to }: Body["body"]): ConsentAnswer | undefined {
  if (typeof to !== "string" || !URL.canParse(to)) return undefined;
  const { protocol } = new URL(to);
  return protocol === "https:" || protocol === "http:" ? { kind: "leave", to } : undefined;
}

function askedOf({ client, redirect, scope, user, expiresAt }: Body["body"]): Asked | undefined {
  if (!isRecord(client) || !isRecord(redirect)) return undefined;
  const { name, host } = client;
  const { host: redirectHost, is_local: isLocal } = redirect;
  if (typeof name !== "string" || typeof redirectHost !== "string" || typeof user !== "string") {
    return undefined;
  }
  return {
    kind: "asked",
    clientName: name,
    clientHost: typeof host === "string" ? host : undefined,
    redirectHost,
    isLocal: isLocal === true,
    scope: scope === "write" ? "write" : "read",
    user,
    expiresAt: typeof expiresAt === "number" ? expiresAt : undefined,
  };
}

function partOf(match: unknown): readonly FoundPart[] {
  const node = isRecord(match) ? match["node"] : undefined;
  if (!isRecord(match) || !isRecord(node) || typeof node["id"] !== "string") return [];
  const path = Array.isArray(match["path"]) ? match["path"] : [];
  const names = path.flatMap((step) => (isRecord(step) ? [String(step["name"])] : []));
  const name = plainOf(String(node["name"]));
  return [{ id: node["id"], name: name === "" ? "Untitled" : name, path: names.join(" › ") }];
}

const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

/** A name as the API answers it, without its tags. It is shown as text, whatever is left of it. */
function plainOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity)
    .trim();
}
