import type { Readable } from "node:stream";
import { type Accounts, hasExpired, type Principal } from "../accounts/accounts.ts";
import type { Documents } from "../documents/documents.ts";
import type { OutlineNode } from "../core/node-reader.ts";
import type { Outline } from "../core/outline.ts";
import type { HttpLimits } from "./http-limits.ts";
import { listStream } from "./list-stream.ts";
import { problem, ProblemError } from "./problem.ts";
import { ScopedOutline } from "./scoped-outline.ts";
import { MAX_SERVED_NAMES, type ServedNames } from "./served-names.ts";

const KEY_ENDED = new ProblemError(problem("unauthorized", "The API key is not valid any more."));

/** What operations work with. */
export interface Service {
  readonly documents: Documents;
  readonly accounts: Accounts;
  readonly limits: HttpLimits;
  readonly servedNames: ServedNames;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Takes the one token that each window holds: 0, or the milliseconds until the next one. */
  readonly takeToken: (key: string, windowMs: number) => Promise<number>;
}

/**
 * Reads the outline of a request's key; sees only what is durable. Answers at once when the outline
 * is in memory and at rest.
 */
export function reading<T>(
  { documents, now }: Service,
  { outline: id, root }: Principal,
  read: (view: ScopedOutline) => T,
): T | Promise<T> {
  const look = (outline: Outline): T => read(new ScopedOutline(outline, root, now));
  const atOnce = documents.peek(id)?.readNow(look);
  return atOnce === undefined
    ? documents.use(id, (document) => document.read(look))
    : atOnce.result;
}

/** Changes the outline of a request's key at once; resolves when that is durable. */
export function writing<T>(
  service: Service,
  { outline: id, root }: Principal,
  write: (view: ScopedOutline) => T,
): Promise<T> {
  return service.documents.write(id, (outline) =>
    write(new ScopedOutline(outline, root, service.now)),
  );
}

/**
 * Like `writing`, for work that would keep others waiting: a generator that yields every so often.
 * It becomes durable as a whole or not at all.
 */
export function writingInSlices<T>(
  service: Service,
  { outline: id, root }: Principal,
  write: (view: ScopedOutline) => Generator<void, T>,
): Promise<T> {
  return service.documents.use(id, (document) =>
    document.bulk((outline) => write(new ScopedOutline(outline, root, service.now))),
  );
}

/**
 * Answers a list as a stream. What is in it is up to the iterator, which gives the JSON of each item
 * and is first asked within a read of the document; the document stays open until the stream is read
 * to its end, fails, or is left. It fails when the key ends, however slowly it is read.
 */
export async function streaming(
  { documents, accounts, now }: Service,
  principal: Principal,
  name: "nodes" | "targets",
  itemsOf: (view: ScopedOutline) => Iterator<string>,
): Promise<Readable> {
  const { outline: id, root, keyId } = principal;
  const { document, release } = await documents.open(id);
  const items = itemsOf(new ScopedOutline(document.outline, root, now));
  const requireKey = (): void => {
    if (hasExpired(principal, now())) throw KEY_ENDED;
  };
  const stream = listStream(document, name, items, requireKey);
  const stopListening = accounts.onRevoked((revoked) => {
    if (revoked === keyId) stream.destroy(KEY_ENDED);
  });
  return stream.once("close", () => {
    stopListening();
    release();
  });
}

/** The same for nodes. @param count about how many they are */
export function streamingNodes(
  service: Service,
  principal: Principal,
  count: number,
  nodesOf: (view: ScopedOutline) => Iterable<OutlineNode>,
): Promise<Readable> {
  const { servedNames } = service;
  const { keyId } = principal;
  const isKept = count <= MAX_SERVED_NAMES;
  if (!isKept) servedNames.forget(keyId);
  return streaming(service, principal, "nodes", function* (view) {
    for (const node of nodesOf(view)) {
      if (isKept) servedNames.remember(keyId, node.key, node.name);
      yield view.present(node);
    }
  });
}
