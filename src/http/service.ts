import type { Readable } from "node:stream";
import type { Accounts, Principal } from "../accounts/accounts.ts";
import type { Documents } from "../documents/documents.ts";
import type { OutlineNode } from "../core/node-reader.ts";
import type { HttpLimits } from "./http-limits.ts";
import { nodeStream } from "./node-stream.ts";
import { OutlineView } from "./outline-view.ts";
import type { ServedNames } from "./served-names.ts";

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

/** Reads the outline of a request's key; sees only what is durable. */
export function reading<T>(
  service: Service,
  { outline: id, root }: Principal,
  read: (view: OutlineView) => T,
): Promise<T> {
  return service.documents.use(id, (document) =>
    document.read((outline) => read(new OutlineView(outline, root, service.now))),
  );
}

/** Changes the outline of a request's key in one transaction; resolves when that is durable. */
export function writing<T>(
  service: Service,
  { outline: id, root }: Principal,
  write: (view: OutlineView) => T,
): Promise<T> {
  return service.documents.use(id, (document) =>
    document.write((outline) => write(new OutlineView(outline, root, service.now))),
  );
}

/**
 * Like `writing`, for work that would keep others waiting: a generator that yields every so often.
 * It becomes durable as a whole or not at all.
 */
export function writingInSlices<T>(
  service: Service,
  { outline: id, root }: Principal,
  write: (view: OutlineView) => Generator<void, T>,
): Promise<T> {
  return service.documents.use(id, (document) =>
    document.bulk((outline) => write(new OutlineView(outline, root, service.now))),
  );
}

/**
 * Answers nodes as a stream. Which ones is up to the iterator, which is first asked within a read of
 * the document; the document stays open until the stream is read to its end, fails, or is left.
 */
export async function streaming(
  { documents, servedNames, now }: Service,
  { outline: id, root, keyId }: Principal,
  nodesOf: (view: OutlineView) => Iterator<OutlineNode>,
): Promise<Readable> {
  const { document, release } = await documents.open(id);
  const view = new OutlineView(document.outline, root, now);
  const stream = nodeStream({
    document,
    view,
    nodes: nodesOf(view),
    onServed: ({ key, name }) => servedNames.remember(keyId, key, name),
  });
  return stream.once("close", release);
}
