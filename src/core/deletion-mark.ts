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
}

/** What `d` holds after a deletion was taken back. */
export const RESTORED = "";

const EVERYTHING = "*";
const PATTERN = /^([ft])(\*|[0-9]{1,15})$/;

export function encodeDeletion(mark: DeletionMark): string {
  return (
    (mark.kind === "final" ? "f" : "t") +
    (mark.seen === "everything" ? EVERYTHING : String(mark.seen))
  );
}

/** Undefined for a node that is not deleted, and for anything that is no mark. */
export function parseDeletion(value: string | undefined): DeletionMark | undefined {
  if (value === undefined || value === RESTORED) return undefined;
  const [, kind, seen] = PATTERN.exec(value) ?? [];
  if (kind === undefined) return undefined;
  return {
    kind: kind === "f" ? "final" : "trash",
    seen: seen === EVERYTHING ? "everything" : Number(seen),
  };
}
