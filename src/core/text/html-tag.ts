/** The elements that text may contain, and what older or longer names are mapped to. */
const ELEMENTS = {
  b: "b",
  strong: "b",
  i: "i",
  em: "i",
  s: "s",
  strike: "s",
  del: "s",
  u: "u",
  code: "code",
  a: "a",
  time: "time",
  mark: "mark",
  span: "span",
} as const;

export type ElementName = (typeof ELEMENTS)[keyof typeof ELEMENTS];

export interface Tag {
  readonly element: ElementName;
  readonly isClosing: boolean;
  /** By lower-case name, entities not decoded yet. The first of two equal names counts. */
  readonly attributes: ReadonlyMap<string, string>;
  /** As it was written. */
  readonly source: string;
}

const ELEMENT_BY_NAME: ReadonlyMap<string, ElementName> = new Map(Object.entries(ELEMENTS));
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();
const TAG_START = /<(\/?)([a-z]{1,6})(?=[ \n/>])/iy;
const SPACE = /[ \n/]*/y;
const ATTRIBUTE_NAME = /[^ \n/>="'<]+/y;
const ATTRIBUTE_VALUE = /[ \n]*=[ \n]*(?:"([^"<]*)"|'([^'<]*)'|([^ \n>"'<=]+))/y;

/**
 * Reads the tag at `start`, where `text` has a `<`; undefined when it is no tag of an allowed
 * element. A tag never reaches beyond the next `<`, so reading all tags of a text is linear.
 */
export function tagAt(text: string, start: number): Tag | undefined {
  TAG_START.lastIndex = start;
  const match = TAG_START.exec(text);
  if (match === null) return undefined;
  const element = ELEMENT_BY_NAME.get((match[2] ?? "").toLowerCase());
  if (element === undefined) return undefined;
  const isClosing = match[1] === "/";

  let attributes: Map<string, string> | undefined;
  let at = TAG_START.lastIndex;
  for (;;) {
    at = endOf(SPACE, text, at);
    if (text[at] === ">") break;
    const nameEnd = endOf(ATTRIBUTE_NAME, text, at);
    if (nameEnd === at) return undefined;
    const name = text.slice(at, nameEnd).toLowerCase();
    at = nameEnd;
    let value = "";
    ATTRIBUTE_VALUE.lastIndex = at;
    const valueMatch = ATTRIBUTE_VALUE.exec(text);
    if (valueMatch !== null) {
      value = valueMatch[1] ?? valueMatch[2] ?? valueMatch[3] ?? "";
      at = ATTRIBUTE_VALUE.lastIndex;
    }
    attributes ??= new Map();
    if (!attributes.has(name)) attributes.set(name, value);
  }
  return {
    element,
    isClosing,
    attributes: attributes ?? NO_ATTRIBUTES,
    source: text.slice(start, at + 1),
  };
}

/** Where the match of a sticky pattern at `at` ends; `at` itself when there is none. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
