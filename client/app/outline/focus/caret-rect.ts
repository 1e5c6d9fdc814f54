interface CaretRect {
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
  readonly height: number;
}

/** Kept free above and below the caret: the page has a header, and a phone a bar. */
const EDGE_PX = 80;

/** Where the moving end of the selection is in the window; of an empty text its first line. */
export function caretRect(element: HTMLElement): CaretRect {
  const selection = getSelection();
  if (selection?.focusNode && element.contains(selection.focusNode)) {
    const range = document.createRange();
    range.setStart(selection.focusNode, selection.focusOffset);
    range.collapse(true);
    const rect = [...range.getClientRects()].at(-1);
    if (rect !== undefined && rect.height > 0) return rect;
    // In an empty line there is nothing to measure but the line break that ends it.
    range.setEnd(element, element.childNodes.length);
    const [first] = range.getClientRects();
    if (first !== undefined && first.height > 0) return first;
  }
  const { left, top, bottom } = element.getBoundingClientRect();
  const height = Math.min(parseFloat(getComputedStyle(element).lineHeight) || 24, bottom - top);
  return { left, top, bottom: top + height, height };
}

/** Scrolls the page to the caret in a text, which may be higher than the window. */
export function scrollToCaret(element: HTMLElement): void {
  element.scrollIntoView({ block: "nearest" });
  const { top, bottom } = caretRect(element);
  const below = Math.max(0, bottom + EDGE_PX - window.innerHeight);
  const away = top < EDGE_PX ? top - EDGE_PX : below;
  if (away !== 0) window.scrollBy({ top: away, behavior: "instant" });
}
