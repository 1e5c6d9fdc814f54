import { ownHash } from "../outline/rows/own-hash.ts";
import { allowedHref } from "../../../src/core/text/href.ts";
import type { Formats, FormatValue } from "../../../src/core/text/rich-text.ts";

/** What of an element is read: so much of the DOM that tests can make it by hand. */
export interface HtmlNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly childNodes: ArrayLike<HtmlNode>;
  getAttribute?(name: string): string | null;
}

export const ELEMENT_NODE = 1;
export const TEXT_NODE = 3;

const FORMAT_OF_TAG: ReadonlyMap<string, string> = new Map([
  ["b", "b"],
  ["strong", "b"],
  ["i", "i"],
  ["em", "i"],
  ["cite", "i"],
  ["s", "s"],
  ["del", "s"],
  ["strike", "s"],
  ["u", "u"],
  ["ins", "u"],
  ["code", "code"],
  ["kbd", "code"],
  ["samp", "code"],
  ["tt", "code"],
]);

/**
 * Where the style of an element is kept. Under its own name it would be refused by the content security
 * policy, with an error for each, though nothing of it is ever shown.
 */
export const STYLE_ATTRIBUTE = "data-style";

/** The formats inside an element: those around it, with what its tag and its style say. */
export function formatsInside(element: HtmlNode, tag: string, around: Formats): Formats {
  const formats: Record<string, FormatValue> = { ...around };
  const format = FORMAT_OF_TAG.get(tag);
  if (format !== undefined) formats[format] = true;
  if (tag === "mark") formats["mark"] = "";
  if (tag === "a") {
    const href = allowedHref(element.getAttribute?.("href") ?? "");
    // A link that was copied here is one of the outline.
    if (href !== undefined) formats["a"] = ownHash(href) ?? href;
  }
  const style = element.getAttribute?.(STYLE_ATTRIBUTE) ?? "";
  if (style !== "") applyStyle(style.toLowerCase(), formats);
  return formats;
}

/** Word processors say with styles what others say with tags. */
function applyStyle(style: string, formats: Record<string, FormatValue>): void {
  const weight = /font-weight:\s*(bold|normal|[1-9]00)/.exec(style)?.[1];
  if (weight === "bold" || Number(weight) >= 600) formats["b"] = true;
  else if (weight !== undefined) delete formats["b"];
  const slant = /font-style:\s*(italic|oblique|normal)/.exec(style)?.[1];
  if (slant === "normal") delete formats["i"];
  else if (slant !== undefined) formats["i"] = true;
  const decoration = /text-decoration(?:-line)?:\s*([^;]*)/.exec(style)?.[1] ?? "";
  if (decoration.includes("line-through")) formats["s"] = true;
  if (decoration.includes("underline") && formats["a"] === undefined) formats["u"] = true;
}
