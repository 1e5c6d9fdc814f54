import type { Documents } from "../documents/documents.ts";
import type { OutlineDocument } from "../documents/outline-document.ts";

/** What sync needs of an open document. */
export type SyncDocument = Pick<
  OutlineDocument,
  | "outline"
  | "epoch"
  | "head"
  | "receive"
  | "stateVector"
  | "catchUp"
  | "fullState"
  | "since"
  | "lease"
  | "claim"
>;

/** What sync needs of all documents. */
export type SyncDocuments = Pick<Documents, "open" | "subscribe">;
