import { isOutlineId, type OutlineId } from "../../../src/core/node-key.ts";
import { isRecord } from "./is-record.ts";
import type { PageStorage } from "./page-storage.ts";

/** Whose outline this browser has: enough to open it without asking anybody. */
export interface RememberedOutline {
  readonly outline: OutlineId;
  readonly user: string;
}

const NAME = "signed-in";

export function readRememberedOutline(storage: PageStorage): RememberedOutline | undefined {
  const value = storage.read(NAME);
  if (!isRecord(value)) return undefined;
  const { outline, user } = value;
  if (typeof outline !== "string" || !isOutlineId(outline)) return undefined;
  return typeof user === "string" ? { outline, user } : undefined;
}

/** Undefined forgets. */
export function rememberOutline(
  storage: PageStorage,
  outline: RememberedOutline | undefined,
): void {
  storage.write(
    NAME,
    outline === undefined ? undefined : { outline: outline.outline, user: outline.user },
  );
}

/** The local store of an outline: one for each, so that no one's edits meet another's. */
export function storeNameOf(outline: OutlineId): string {
  return `outline-${outline}`;
}
