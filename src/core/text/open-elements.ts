import { coloredClass } from "./colored-class.ts";
import { dateMarkText, isRealDate } from "./dates.ts";
import { decodedText } from "./entity.ts";
import { allowedHref } from "./href.ts";
import type { ElementName, Tag } from "./html-tag.ts";
import type { FormatValue, Formats } from "./rich-text.ts";

interface OpenElement {
  /** The opening tag was no tag but text, so its closing tag is text too. */
  readonly isText: boolean;
  /** What the text gets, from this element or from one of its name around it. */
  readonly value: FormatValue | undefined;
}

const FORMAT_KEYS: Readonly<Record<ElementName, string>> = {
  b: "b",
  i: "i",
  s: "s",
  u: "u",
  code: "code",
  a: "a",
  time: "d",
  mark: "mark",
  span: "span",
};

const NUMBER = /^[0-9]{1,6}$/;

/**
 * The elements that are open at a place of an HTML text. Elements of different names need not be
 * nested in each other: each name has its own stack, and a closing tag closes the last of its name.
 */
export class OpenElements {
  /** In the order in which each name was opened last, which is how they are nested. */
  readonly #stacks = new Map<ElementName, OpenElement[]>();
  #formats: Formats | undefined;
  #isStale = false;

  /** The formats of text at this place; undefined for none. */
  get formats(): Formats | undefined {
    if (this.#isStale) {
      this.#formats = this.#currentFormats();
      this.#isStale = false;
    }
    return this.#formats;
  }

  /** Whether text at this place is code, where markdown means nothing. */
  get isCode(): boolean {
    return (this.#stacks.get("code")?.length ?? 0) > 0;
  }

  /** Goes past a tag. False when the tag is to be taken as text; then it has changed no format. */
  pass(tag: Tag): boolean {
    const stack = this.#stacks.get(tag.element) ?? [];
    this.#isStale = true;
    if (tag.isClosing) return stack.pop()?.isText !== true;

    const value = valueOf(tag);
    const isText = value === undefined && (tag.element === "span" || tag.element === "mark");
    const around = stack.at(-1)?.value;
    stack.push({ isText, value: value ?? around });
    if (around === undefined) {
      this.#stacks.delete(tag.element);
      this.#stacks.set(tag.element, stack);
    }
    return !isText;
  }

  #currentFormats(): Formats | undefined {
    const entries: [string, FormatValue][] = [];
    for (const [element, stack] of this.#stacks) {
      const value = stack.at(-1)?.value;
      if (value !== undefined) entries.push([FORMAT_KEYS[element], value]);
    }
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  }
}

/** The format that an opening tag stands for; undefined when it lacks what it needs for one. */
function valueOf(tag: Tag): FormatValue | undefined {
  const attribute = (name: string): string => decodedText(tag.attributes.get(name) ?? "");
  switch (tag.element) {
    case "b":
    case "i":
    case "s":
    case "u":
    case "code":
      return true;
    case "a":
      return allowedHref(attribute("href"));
    case "time":
      return dateOf(attribute);
    case "mark":
      return attribute("class").trim() === "" ? "" : coloredClass(attribute("class"));
    case "span":
      return coloredClass(attribute("class"));
  }
}

function dateOf(attribute: (name: string) => string): string | undefined {
  const number = (name: string): number => {
    const digits = attribute(name);
    return NUMBER.test(digits) ? Number(digits) : Number.NaN;
  };
  const date = { year: number("startyear"), month: number("startmonth"), day: number("startday") };
  if (!isRealDate(date)) return undefined;
  const time = { hour: number("starthour"), minute: number("startminute") };
  const hasTime = time.hour < 24 && time.minute < 60;
  return dateMarkText(hasTime ? { ...date, time } : date);
}
