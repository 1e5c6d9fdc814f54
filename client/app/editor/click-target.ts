import type { TextRange } from "./inline-editor.ts";
import { offsetOf } from "./page-selection.ts";

/** What of a text was clicked besides its letters. */
export type ClickTarget =
  | { readonly kind: "link"; readonly href: string }
  | { readonly kind: "tag"; readonly tag: string }
  /** `value` as in the format `d`; `range` is the text of the date. */
  | { readonly kind: "date"; readonly value: string; readonly range: TextRange };

export interface ClickListeners {
  readonly onTag?: (tag: string) => void;
  /** A date was clicked. @param value as in the format `d` */
  readonly onDate?: (value: string, range: TextRange) => void;
  /** A link was clicked; without this it is opened. */
  readonly onLink?: (href: string) => void;
}

/** What a click in an editor was on; undefined for plain text. A link goes before what is in it. */
export function clickTarget(
  editor: HTMLElement,
  clicked: EventTarget | null,
): ClickTarget | undefined {
  if (!(clicked instanceof Element) || !editor.contains(clicked)) return undefined;
  const href = clicked.closest("a")?.getAttribute("href");
  if (href !== null && href !== undefined) return { kind: "link", href };
  const tag = clicked.closest<HTMLElement>("[data-tag]")?.dataset["tag"];
  if (tag !== undefined) return { kind: "tag", tag };
  const date = clicked.closest<HTMLElement>("[data-date]");
  const value = date?.dataset["date"];
  if (date === null || value === undefined) return undefined;
  const anchor = offsetOf(editor, date, 0);
  return { kind: "date", value, range: { anchor, head: anchor + (date.textContent ?? "").length } };
}

export function followClick(target: ClickTarget, { onTag, onDate, onLink }: ClickListeners): void {
  switch (target.kind) {
    case "tag":
      return onTag?.(target.tag);
    case "date":
      return onDate?.(target.value, target.range);
    case "link": {
      const { href } = target;
      if (onLink !== undefined) onLink(href);
      else if (/^http/i.test(href)) open(href, "_blank", "noopener");
      else location.assign(href);
    }
  }
}
