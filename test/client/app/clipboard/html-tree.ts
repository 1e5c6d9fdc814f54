import type { HtmlNode } from "../../../../client/app/clipboard/html-line.ts";

type Child = HtmlNode | string;

/** An element of a page as a parser makes it, without a browser. */
export function el(
  name: string,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Child[]
): HtmlNode {
  return {
    nodeType: 1,
    nodeName: name.toUpperCase(),
    textContent: null,
    childNodes: children.map((child) => (typeof child === "string" ? textNode(child) : child)),
    getAttribute: (attribute) => attributes[attribute] ?? null,
  };
}

function textNode(text: string): HtmlNode {
  return { nodeType: 3, nodeName: "#text", textContent: text, childNodes: [] };
}
