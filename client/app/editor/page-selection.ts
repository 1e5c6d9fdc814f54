import type { TextRange } from "./inline-editor.ts";

/** The selection of the page as offsets in the text of an element; undefined when it is elsewhere. */
export function selectionIn(element: HTMLElement): TextRange | undefined {
  const selection = element.ownerDocument.getSelection();
  const { anchorNode, focusNode } = selection ?? {};
  if (!selection || !anchorNode || !focusNode) return undefined;
  if (!element.contains(anchorNode) || !element.contains(focusNode)) return undefined;
  const head = offsetOf(element, focusNode, selection.focusOffset);
  const anchor = selection.isCollapsed
    ? head
    : offsetOf(element, anchorNode, selection.anchorOffset);
  return { anchor, head };
}

/** Where the browser means to insert, as offsets: for a drop that is not the selection. */
export function targetIn(element: HTMLElement, event: InputEvent): TextRange | undefined {
  const target = event.getTargetRanges()[0];
  if (target === undefined || !element.contains(target.startContainer)) return undefined;
  return {
    anchor: offsetOf(element, target.startContainer, target.startOffset),
    head: offsetOf(element, target.endContainer, target.endOffset),
  };
}

/** Selects in an element; offsets beyond its end mean the end. */
export function selectIn(element: HTMLElement, { anchor, head }: TextRange): void {
  const selection = element.ownerDocument.getSelection();
  const to = placeOf(element, head);
  const from = anchor === head ? to : placeOf(element, anchor);
  selection?.setBaseAndExtent(from.node, from.offset, to.node, to.offset);
}

/** The characters of an element before a place in it. */
export function offsetOf(element: HTMLElement, node: Node, offset: number): number {
  // In most lines, and far cheaper than a range.
  if (node === element.firstChild && node instanceof Text) return offset;
  const range = element.ownerDocument.createRange();
  range.setStart(element, 0);
  range.setEnd(node, offset);
  return range.toString().length;
}

function placeOf(element: HTMLElement, at: number): { node: Node; offset: number } {
  const texts = element.ownerDocument.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let left = at;
  let place: { node: Node; offset: number } = { node: element, offset: 0 };
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const { length } = node.textContent ?? "";
    // Between two nodes the first one: what is typed there is formatted like what is before.
    if (left <= length) return { node, offset: left };
    left -= length;
    place = { node, offset: length };
  }
  return place;
}
