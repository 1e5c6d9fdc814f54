import * as Y from "yjs";
import { forgetPlaces } from "./inside.ts";
import { clockOf } from "./struct-store.ts";

/**
 * Writes characters between two items of a text that are neighbours, with the formats that are open there.
 * Yjs itself would write behind all that is deleted at a place.
 * @returns the id of the first character
 */
export function insertBetween(
  transaction: Y.Transaction,
  text: Y.Text,
  left: Y.Item | null,
  right: Y.Item | null,
  said: string,
): Y.ID {
  const { clientID } = transaction.doc;
  const id = Y.createID(clientID, clockOf(transaction.doc, clientID));
  const [origin, rightOrigin] = [left?.lastId ?? null, right?.id ?? null];
  const content = new Y.ContentString(said);
  new Y.Item(id, left, origin, right, rightOrigin, text, null, content).integrate(transaction, 0);
  // Yjs looks for places from where it knows the index of, which only its own insertions keep right.
  forgetPlaces(text);
  return id;
}

/** The same in front of a character, whether or not that is deleted. */
export function insertBefore(
  transaction: Y.Transaction,
  text: Y.Text,
  character: Y.ID,
  said: string,
): void {
  const right = Y.getItemCleanStart(transaction, character);
  insertBetween(transaction, text, right.left, right, said);
}
