import { coloredClass } from "../../../src/core/text/colored-class.ts";
import { parseDateMark } from "../../../src/core/text/dates.ts";
import { allowedHref } from "../../../src/core/text/href.ts";
import { ownHash } from "../outline/rows/own-hash.ts";
import type { Segment } from "./segments.ts";

/** A segment on the page: the outermost node, and the text inside it. */
export interface SegmentNode {
  readonly node: Text | HTMLElement;
  readonly leaf: Text;
}

const TAGS = ["b", "i", "s", "u", "code"] as const;

/** Builds a segment out of elements; what the document says is text and never markup. */
export function nodeOfSegment(
  page: Document,
  { text, formats, tag, href: written }: Segment,
): SegmentNode {
  const leaf = page.createTextNode(text);
  let node: Text | HTMLElement = leaf;
  const wrap = (name: string, data?: readonly [name: string, value: string]): HTMLElement => {
    const element = page.createElement(name);
    element.append(node);
    if (data !== undefined) element.dataset[data[0]] = data[1];
    node = element;
    return element;
  };
  if (tag !== undefined) wrap("span", ["tag", tag]);
  for (const name of TAGS) if (formats?.[name] !== undefined) wrap(name);
  // Never as classes: those are the page's own.
  const letters = coloursOf(formats?.["span"]);
  if (letters !== undefined) wrap("span", ["colours", letters]);
  const mark = formats?.["mark"];
  const behind = coloursOf(mark);
  if (behind !== undefined) wrap("mark", ["colours", behind]);
  else if (mark === "") wrap("mark");
  const date = formats?.["d"];
  if (typeof date === "string" && parseDateMark(date) !== undefined) wrap("time", ["date", date]);
  const href = typeof formats?.["a"] === "string" ? allowedHref(formats["a"]) : written;
  if (href !== undefined) {
    const link = wrap("a");
    link.setAttribute("href", href);
    link.setAttribute("rel", "noopener noreferrer");
    if (ownHash(href, page.baseURI) === undefined) link.setAttribute("target", "_blank");
  }
  return { node, leaf };
}

function coloursOf(classes: unknown): string | undefined {
  return typeof classes === "string" ? coloredClass(classes) : undefined;
}
