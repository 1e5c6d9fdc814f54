import type { Accounts, Principal } from "../accounts/accounts.ts";
import type { Documents } from "../documents/documents.ts";
import type { OutlineDocument } from "../documents/outline-document.ts";
import type { Outline } from "../core/outline.ts";
import type { HttpLimits } from "./http-limits.ts";
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
  write: (view: OutlineView, document: OutlineDocument) => T,
): Promise<T> {
  return service.documents.use(id, (document) =>
    document.write((outline: Outline) =>
      write(new OutlineView(outline, root, service.now), document),
    ),
  );
}
