import type { NodeKey } from "../core/node-key.ts";
import { beginningOf } from "../core/text/beginning-of.ts";
import { htmlOfRichText } from "../core/text/html-of-rich-text.ts";
import { richTextOfHtml } from "../core/text/html.ts";
import { hrefOfNode } from "../core/text/node-link.ts";
import { plainText, type RichText, RunBuilder } from "../core/text/rich-text.ts";
import type { OutlineEntry } from "./outline-entry.ts";

/** A page by its name, or a block by its id. */
const REFERENCE = /\[\[([^[\]\n]{1,200})\]\]|\(\(([0-9a-f-]{36})\)\)/gi;
/** UTF-16 units of a name that stand for the id of its line. */
const LONGEST_WORDS = 80;

/** The entries of a list by what others of it name them. */
interface Named {
  /** By names in lower case; undefined for one that several have. */
  readonly byName: ReadonlyMap<string, number | undefined>;
  readonly byId: ReadonlyMap<string, number>;
  /** Plain, in the order of the entries. */
  readonly names: readonly string[];
}

/**
 * Entries in which `[[name]]` is a link to the one line of the list that is called so, and `((id))` to
 * that with the id, called by its name. What names no line of the list, or several, stays as it is
 * written, as does a text that would become longer than a text may be. Takes time linear in the texts.
 * @param ids by the place of an entry in the list
 * @param newKey a key for a line that is linked to
 */
export function linkedEntries(
  entries: readonly OutlineEntry[],
  ids: ReadonlyMap<number, string>,
  newKey: () => NodeKey,
  maxTextBytes: number,
): readonly OutlineEntry[] {
  if (!entries.some(({ name, note }) => mayRefer(name) || mayRefer(note))) return entries;
  const named = namedOf(entries, ids);
  const keys = new Map<number, NodeKey>();
  const keyAt = (index: number): NodeKey => {
    const key = keys.get(index) ?? newKey();
    keys.set(index, key);
    return key;
  };
  const linked = (html: string): string => {
    const result = htmlOfRichText(withLinks(richTextOfHtml(html), named, keyAt));
    // No text has more than three bytes for each code unit.
    return result.length * 3 > maxTextBytes ? html : result;
  };
  const texts = entries.map(({ name, note, layout }) => ({
    ...(layout !== "code-block" && mayRefer(name) && { name: linked(name) }),
    ...(mayRefer(note) && { note: linked(note) }),
  }));
  return entries.map((entry, index) => {
    const key = keys.get(index);
    return { ...entry, ...texts[index], ...(key !== undefined && { key }) };
  });
}

function mayRefer(text: string | undefined): text is string {
  return text !== undefined && /\[\[|\(\(/.test(text);
}

function namedOf(entries: readonly OutlineEntry[], ids: ReadonlyMap<number, string>): Named {
  const names = entries.map(({ name }) => plainText(richTextOfHtml(name)));
  const byName = new Map<string, number | undefined>();
  for (const [index, name] of names.entries()) {
    const folded = name.toLowerCase();
    byName.set(folded, byName.has(folded) ? undefined : index);
  }
  const byId = new Map(Array.from(ids, ([index, id]) => [id.toLowerCase(), index]));
  return { names, byName, byId };
}

function withLinks(
  text: RichText,
  { names, byName, byId }: Named,
  keyAt: (index: number) => NodeKey,
): RichText {
  const runs = new RunBuilder();
  for (const { insert, attributes } of text) {
    const { a, code } = attributes ?? {};
    let end = 0;
    for (const match of a === undefined && code === undefined ? insert.matchAll(REFERENCE) : []) {
      const [source, name = "", id] = match;
      const target =
        id === undefined ? byName.get(name.trim().toLowerCase()) : byId.get(id.toLowerCase());
      const words = id === undefined ? name : shortened(names[target ?? -1] ?? "");
      if (target === undefined || words.trim() === "") continue;
      runs.add(insert.slice(end, match.index), attributes);
      runs.add(words, { ...attributes, a: hrefOfNode(keyAt(target)) });
      end = match.index + source.length;
    }
    runs.add(insert.slice(end), attributes);
  }
  return runs.finish();
}

function shortened(name: string): string {
  return name.length <= LONGEST_WORDS ? name : `${beginningOf(name, LONGEST_WORDS)}…`;
}
