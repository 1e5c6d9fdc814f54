import { createHash } from "node:crypto";
import type { Principal } from "../accounts/principal.ts";
import type { Documents } from "../documents/documents.ts";
import { endOf } from "./intake/in-force.ts";
import { problem, type Problem, ProblemError } from "./problem.ts";

/** A request that may come again: it has an `Idempotency-Key`. */
export interface Once {
  /** Of its receipt: of the API key and the key that the request has. 32 hexadecimal digits. */
  readonly id: string;
  /** Of all else that it says: 43 characters. */
  readonly request: string;
}

/** Who reads or changes something. */
export interface Caller {
  readonly principal: Principal;
  /** Whether anybody still waits for it; always, when not given. */
  readonly isHere?: (() => boolean) | undefined;
  /** It may come again, and is to be done once. */
  readonly once?: Once | undefined;
}

/** The JSON text of a request that was done before, as it was answered then. */
export interface ReplayedText {
  readonly kind: "replayed";
  readonly text: string;
}

/** What an attempt to do a request once has come to. */
export type Attempt<T> = { readonly kind: "done"; readonly result: T } | "again";

const KEY = /^[!-~]{1,255}$/;
const ID_DIGITS = 32;
const REQUEST_LENGTH = 43;

const BAD_KEY = problem(
  "invalid_request",
  "`Idempotency-Key` is 1 to 255 visible characters of ASCII.",
);
const NO_REPLAY = problem(
  "invalid_request",
  "Here is no `Idempotency-Key`: what is answered of keys, sessions and webhooks is not kept.",
);
const IN_PROGRESS = problem(
  "in_progress",
  "A request with this `Idempotency-Key` is in work: ask again.",
  1000,
);
const REUSED = problem("idempotency_key_reused", "Another request has had this `Idempotency-Key`.");

/** Why a key of a request is none. @param isKept whether what its operation answers is kept */
export function onceProblem(key: unknown, isKept: boolean): Problem | undefined {
  if (key === undefined) return undefined;
  if (!isKept) return NO_REPLAY;
  return typeof key === "string" && KEY.test(key) ? undefined : BAD_KEY;
}

/**
 * @param key that `onceProblem` has nothing against
 * @param said what the request says
 */
export function onceOf(principal: Principal, key: string, said: readonly string[]): Once {
  const id = createHash("sha256").update(`${principal.keyId} ${key}`).digest("hex");
  const request = createHash("sha256").update(said.join("\n")).digest("base64url");
  return { id: id.slice(0, ID_DIGITS), request };
}

/** Requests that are done once and are in work, by outline and receipt: what else they say. */
export type UnderWay = Map<string, string>;

interface OnceParts {
  readonly documents: Pick<Documents, "use">;
  readonly underWay: UnderWay;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Does what a request asks for, unless that was done before: then it is answered as it was then. What
 * it is answered becomes durable with what it changes; a refusal changes nothing, and is not kept.
 * @param attempt does it; `again` when the outline has been let go since it was asked for the receipt
 * @throws ProblemError when the key has ended meanwhile
 */
export async function doOnce<T>(
  { documents, underWay, now }: OnceParts,
  { principal, once }: Caller,
  attempt: () => Promise<Attempt<T>>,
): Promise<T | ReplayedText | Problem> {
  const { outline } = principal;
  const name = once && `${outline} ${once.id}`;
  if (name !== undefined && once !== undefined) {
    const said = underWay.get(name);
    if (said !== undefined) return said === once.request ? IN_PROGRESS : REUSED;
    underWay.set(name, once.request);
  }
  try {
    for (;;) {
      const replayed =
        once && (await documents.use(outline, (document) => document.receipt(once.id)));
      if (once !== undefined && replayed !== undefined) {
        const end = endOf(principal, now());
        if (end !== undefined) throw new ProblemError(end);
        return replayOf(Buffer.from(replayed).toString(), once);
      }
      const attempted = await attempt();
      if (attempted !== "again") return attempted.result;
    }
  } finally {
    if (name !== undefined) underWay.delete(name);
  }
}

/** What is kept of a request that was done. */
export function receiptOf({ request }: Once, text: string): Uint8Array {
  return Buffer.from(request + text);
}

function replayOf(receipt: string, { request }: Once): ReplayedText | Problem {
  if (receipt.slice(0, REQUEST_LENGTH) !== request) return REUSED;
  return { kind: "replayed", text: receipt.slice(REQUEST_LENGTH) };
}
