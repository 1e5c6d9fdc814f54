import { encodeItemId, parseItemId, type ItemId } from "../yjs/item-id.ts";
import { encodeTimed, parseTimed, type WriteTime } from "./timed-value.ts";

/**
 * The deletion mark on the top node of a deleted subtree: how final it is, and what the deleter had
 * seen. What the deleter had not seen is no part of the deletion (rules D).
 */
export interface DeletionMark {
  /** `final`: gone for good. `trash`: can be restored. */
  readonly kind: "final" | "trash";
  /**
   * The sequence number up to which the deleter had seen the outline, besides the own writes.
   * `everything`: all that had reached the server when the mark did, for who knows no numbers.
   */
  readonly seen: number | "everything";
  /** The mark by a person that this one hands down to what it hid, or says once more. */
  readonly restates?: ItemId;
}

/** What `d` holds, before its time, after a deletion was taken back. */
const RESTORED = "";

const EVERYTHING = "*";
const RESTATES_MARK = "'";
const PATTERN = /^([ft])(\*|[0-9]{1,15})(?:'(.+))?$/;

/** @param mark undefined: a deletion is taken back */
export function encodeDeletion(mark: DeletionMark | undefined, time: WriteTime): string {
  return encodeTimed({ ...time, value: mark === undefined ? RESTORED : textOf(mark) });
}

function textOf({ kind, seen, restates }: DeletionMark): string {
  let text = kind === "final" ? "f" : "t";
  text += seen === "everything" ? EVERYTHING : String(seen);
  if (restates !== undefined) text += RESTATES_MARK + encodeItemId(restates);
  return text;
}

/** Undefined for a node that is not deleted, and for anything that is no mark. */
export function parseDeletion(register: string | undefined): DeletionMark | undefined {
  if (register === undefined || register === RESTORED) return undefined;
  const [, kind, seen, id] = PATTERN.exec(parseTimed(register).value) ?? [];
  const restates = id === undefined ? undefined : parseItemId(id);
  if (kind === undefined || (id !== undefined && restates === undefined)) return undefined;
  return {
    kind: kind === "f" ? "final" : "trash",
    seen: seen === EVERYTHING ? "everything" : Number(seen),
    ...(restates === undefined ? {} : { restates }),
  };
}

/** When a mark was written, or taken back. Unix milliseconds; 0 when it does not say. */
export function deletionTime(register: string | undefined): number {
  return register === undefined ? 0 : parseTimed(register).at;
}
