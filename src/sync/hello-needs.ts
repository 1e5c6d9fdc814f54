import type { UnopenedOutline } from "../documents/unopened-outline.ts";
import type { Hello } from "../protocol/message.ts";
import type { SyncDocument } from "./sync-document.ts";

/** What an answer to a device has to know of an outline, open or not. */
export type KnownOutline = Pick<SyncDocument, "epoch" | "head">;

/**
 * Within one history all that a client sent is acknowledged or will be sent again. In another, and
 * where this server does not know as much as it has told, what was acknowledged may be lost.
 */
export function mayKnowMore(known: KnownOutline, { epoch, seq }: Hello): boolean {
  return epoch !== "" && (epoch !== known.epoch || seq > known.head);
}

/**
 * Whether a device is answered although the outline is not open. One that may write is not when it is
 * to be asked for what it knows, or has to be noted: the first one, see `expectDevice`.
 */
export async function isServedUnopened(
  outline: Pick<UnopenedOutline, "epoch" | "head" | "hasDevices">,
  hello: Hello,
  { canWrite, isWanted }: { readonly canWrite: boolean; readonly isWanted: () => boolean },
): Promise<boolean> {
  if (!canWrite) return true;
  return !mayKnowMore(outline, hello) && outline.hasDevices(isWanted);
}
