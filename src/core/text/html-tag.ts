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
  /**
   * Those that mean something, by lower-case name, entities not decoded yet. The first of two equal
   * names counts.
   */
  readonly attributes: ReadonlyMap<string, string>;
  /** As it was written. */
  readonly source: string;
}

const ELEMENT_BY_NAME: ReadonlyMap<string, ElementName> = new Map(Object.entries(ELEMENTS));
/** The attributes that mean something. */
const ATTRIBUTES: ReadonlySet<string> = new Set([
  "href",
  "class",
  "startyear",
  "startmonth",
  "startday",
  "starthour",
  "startminute",
]);
const LONGEST_ATTRIBUTE = 11;
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();
const TAG_START = /<(\/?)([a-z]{1,6})(?=[ \t\n/>])/iy;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const SPACE = 0x20;
const SLASH = 0x2f;
const LESS_THAN = 0x3c;
const EQUALS = 0x3d;
const GREATER_THAN = 0x3e;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;

/**
 * Reads the tag at `start`, where `text` has a `<`; undefined when it is no tag of an allowed
 * element. A tag never reaches beyond the next `<`, so reading all tags of a text is linear.
 */
export function tagAt(text: string, start: number): Tag | undefined {
  // Most are no tags, and a pattern takes its time to say so.
  if (!mayName(text.charCodeAt(start + 1))) return undefined;
  TAG_START.lastIndex = start;
  const match = TAG_START.exec(text);
  if (match === null) return undefined;
  const element = ELEMENT_BY_NAME.get((match[2] ?? "").toLowerCase());
  if (element === undefined) return undefined;
  const isClosing = match[1] === "/";

  let attributes: Map<string, string> | undefined;
  let at = TAG_START.lastIndex;
  for (;;) {
    while (isSpace(text.charCodeAt(at)) || text.charCodeAt(at) === SLASH) at += 1;
    if (text.charCodeAt(at) === GREATER_THAN) break;
    const name = nameEnd(text, at);
    if (name === at) return undefined;
    const value = valueAt(text, name);
    if (value === undefined) return undefined;
    if (name - at <= LONGEST_ATTRIBUTE) {
      const key = text.slice(at, name).toLowerCase();
      if (ATTRIBUTES.has(key)) {
        attributes ??= new Map();
        if (!attributes.has(key)) attributes.set(key, text.slice(value.from, value.to));
      }
    }
    at = value.end;
  }
  return {
    element,
    isClosing,
    attributes: attributes ?? NO_ATTRIBUTES,
    source: text.slice(start, at + 1),
  };
}

function mayName(unit: number): boolean {
  return unit === SLASH || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
}

function isSpace(unit: number): boolean {
  return unit === SPACE || unit === LINE_FEED || unit === TAB;
}

function isQuote(unit: number): boolean {
  return unit === DOUBLE_QUOTE || unit === SINGLE_QUOTE;
}

/** Whether a unit ends a name and a value without quotes; a slash ends names only. */
function endsWord(unit: number): boolean {
  return (
    isSpace(unit) ||
    isQuote(unit) ||
    unit === GREATER_THAN ||
    unit === EQUALS ||
    unit === LESS_THAN ||
    Number.isNaN(unit)
  );
}

function nameEnd(text: string, start: number): number {
  let at = start;
  for (let unit = text.charCodeAt(at); !endsWord(unit) && unit !== SLASH;) {
    at += 1;
    unit = text.charCodeAt(at);
  }
  return at;
}

/** A value in a text, and where what follows it begins. */
interface Value {
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

/** The value behind the name of an attribute, empty when there is none; undefined for no value. */
function valueAt(text: string, start: number): Value | undefined {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at += 1;
  if (text.charCodeAt(at) !== EQUALS) return { from: start, to: start, end: start };
  at += 1;
  while (isSpace(text.charCodeAt(at))) at += 1;
  const from = at;
  const quote = text.charCodeAt(at);
  if (!isQuote(quote)) {
    while (!endsWord(text.charCodeAt(at))) at += 1;
    return at === from ? undefined : { from, to: at, end: at };
  }
  for (at += 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === quote) return { from: from + 1, to: at, end: at + 1 };
    if (unit === LESS_THAN) return undefined;
  }
  return undefined;
}
