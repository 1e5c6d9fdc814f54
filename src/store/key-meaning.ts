import type { OutlineId } from "../core/node-key.ts";
import { isOutlineId } from "../core/node-key.ts";
import type { ReceiptPlace, Seq } from "../documents/log/outline-log.ts";

/** What a key of the data (see StoreKeys) is about. */
export type KeyMeaning =
  | { readonly kind: "head" | "snapshot" | "lost"; readonly outline: OutlineId }
  | { readonly kind: "update"; readonly outline: OutlineId; readonly seq: Seq }
  | { readonly kind: "part"; readonly outline: OutlineId; readonly seq: Seq; readonly part: number }
  | { readonly kind: "binding"; readonly outline: OutlineId; readonly client: number }
  | { readonly kind: "change"; readonly outline: OutlineId; readonly last: number }
  | { readonly kind: "receipt"; readonly outline: OutlineId; readonly place: ReceiptPlace }
  | { readonly kind: "account" }
  | { readonly kind: "token" }
  | { readonly kind: "unknown" };

const ACCOUNT_SPACES: ReadonlySet<string> = new Set(["a", "k", "s", "w", "x", "z"]);

export function meaningOf(key: string): KeyMeaning {
  const [, space, subject = "", entry, first = "", second = "", third = ""] = key.split("/");
  if (space !== undefined && ACCOUNT_SPACES.has(space)) return { kind: "account" };
  if (space === "t") return { kind: "token" };
  if (!isOutlineId(subject)) return { kind: "unknown" };
  const outline = subject;
  if (space === "h") return { kind: "head", outline };
  if (space !== "o") return { kind: "unknown" };
  switch (entry) {
    case "l":
      return { kind: "lost", outline };
    case "s":
      return { kind: "snapshot", outline };
    case "u":
      return { kind: "update", outline, seq: parseInt(first, 16) };
    case "c":
      return { kind: "part", outline, seq: parseInt(first, 16), part: parseInt(second, 16) };
    case "b":
      return { kind: "binding", outline, client: parseInt(first, 16) };
    case "j":
      return { kind: "change", outline, last: parseInt(first, 16) };
    case "i": {
      const place = { id: third, at: parseInt(first, 16), bytes: parseInt(second, 16) };
      return { kind: "receipt", outline, place };
    }
    default:
      return { kind: "unknown" };
  }
}

/** A record in words, for people. */
export function nameOf(meaning: KeyMeaning): string {
  switch (meaning.kind) {
    case "update":
      return `update ${meaning.seq}`;
    case "part":
      return `part ${meaning.part} of the snapshot at ${meaning.seq}`;
    case "change":
      return `what changed up to ${meaning.last}`;
    case "binding":
      return `holder of client id ${meaning.client}`;
    case "lost":
      return "what a restored backup lacks";
    case "head":
    case "snapshot":
    case "receipt":
    case "account":
    case "token":
    case "unknown":
      return meaning.kind;
  }
}
