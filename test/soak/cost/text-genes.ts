import type { Gene } from "./gene.ts";

/** What is repeated, by what it might begin, end or be. */
const PIECES = [
  "*a|**a** |*_|**|~~|~|`|``|_a_|***a***|[|](|](http://a)|)|(|<|>|&|&amp;|&#65;|&#x41|&notin;|<b>|</b>",
  '<i|<u>a</u>|</|<code>|</code>|<mark>|<a href="http://a">|<a href="|</a>|<span class="|http://a|http://',
  '<span class="colored c-red">a</span>|https://a.b/)|[2026-01-02]|[2026-01-02 10:30]|\\|\'|"|\t|\u0001',
  '<time startYear="2026" startMonth="1" startDay="2">|\ud800|📆|é|a|word |  |,|\n|\n\n|a\n\n|- a\n|# |> ',
  "- [x] a\n\n|```\n|```a```\n\n",
].flatMap((line) => line.split("|"));
/** What begins something, and what ends it. */
const PAIRS = [
  "* *|** **|~~ ~~|` `|[ ](http://a)|[ ]|( )|<b> </b>|<i> </i>|*<b> </b>*|<mark> </mark>|[* *](http://a)",
  "<code> </code>|```\n \n```\n\n|_ *|**a* *a**|<a\thref='http://a'> </a>",
].flatMap((line) => line.split("|").map((pair) => pair.split(" ")));

/** Kinds of genes that add to a name or a note: each takes the text before it. */
export const TEXT_GENES: Readonly<Record<string, (before: string, gene: Gene) => string>> = {
  pieces: (before, { count, pick }) => before + piece(pick).repeat(count),
  mixed: (before, { count, size, pick }) =>
    before + (piece(pick) + "x".repeat(size % 40) + piece(pick * 7 + size)).repeat(count),
  nested: (before, { count, pick }) => {
    const [begin = "", end = ""] = PAIRS[pick % PAIRS.length] ?? [];
    return begin.repeat(count) + (before === "" ? "a" : before) + end.repeat(count);
  },
  crossed: (before, { count, pick }) => {
    const [begin = ""] = PAIRS[pick % PAIRS.length] ?? [];
    const [, end = ""] = PAIRS[(pick * 7 + 1) % PAIRS.length] ?? [];
    return before + (begin + end).repeat(count);
  },
  again: (before, { size }) => before.repeat(1 + (size % 4)),
  words: (before, { count, size, pick }) =>
    before +
    Array.from({ length: count }, (_, index) => (index * pick + size).toString(36)).join(" "),
};

function piece(pick: number): string {
  return PIECES[pick % PIECES.length] ?? "a";
}
