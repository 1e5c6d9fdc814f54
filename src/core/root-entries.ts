import type * as Y from "yjs";
import { metaOf, shortcutsOf } from "./schema.ts";
import { SETTING_NAMES } from "./settings.ts";
import { namesChanged } from "./yjs/inside.ts";

/** A shortcut or a setting, as an entry of a root of the document. */
export interface RootEntry {
  readonly root: "keys" | "meta";
  readonly map: Y.Map<unknown> | Y.Map<string>;
  readonly name: string;
}

/** The shortcuts and settings that a transaction has changed. */
export function* rootEntriesIn(transaction: Y.Transaction): Generator<RootEntry> {
  const [shortcuts, meta] = [shortcutsOf(transaction.doc), metaOf(transaction.doc)];
  for (const name of namesChanged(transaction, shortcuts)) {
    if (name !== null) yield { root: "keys", map: shortcuts, name };
  }
  const settings = namesChanged(transaction, meta);
  for (const name of SETTING_NAMES) if (settings.has(name)) yield { root: "meta", map: meta, name };
}
