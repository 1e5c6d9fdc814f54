import type { Documents } from "../documents/documents.ts";
import type { OutlineDocument } from "../documents/replica/outline-document.ts";

/** What sync needs of an open document. */
export type SyncDocument = Pick<
  OutlineDocument,
  | "outline"
  | "epoch"
  | "head"
  | "receive"
  | "stateVector"
  | "difference"
  | "extent"
  | "chunk"
  | "since"
  | "expectDevice"
  | "isClientOf"
>;

/** What sync needs of all documents. */
export type SyncDocuments = Pick<Documents, "open" | "subscribe" | "unopened">;
