import type { TextRange } from "./inline-editor.ts";
import { offsetOf } from "./page-selection.ts";

export interface ClickListeners {
  readonly onTag: (tag: string) => void;
  /**
   * @param value as in the format `d`
   * @param range the text of the date
   */
  readonly onDate: (value: string, range: TextRange) => void;
  readonly onLink: (href: string) => void;
}

/** What a click in an editor asks for; undefined on plain text. A link goes before what is in it. */
export function askedByClick(
  editor: HTMLElement,
  clicked: EventTarget | null,
  { onTag, onDate, onLink }: ClickListeners,
): (() => void) | undefined {
  if (!(clicked instanceof Element) || !editor.contains(clicked)) return undefined;
  const href = clicked.closest("a")?.getAttribute("href") ?? undefined;
  if (href !== undefined) return () => onLink(href);
  const tag = clicked.closest<HTMLElement>("[data-tag]")?.dataset["tag"];
  if (tag !== undefined) return () => onTag(tag);
  const date = clicked.closest<HTMLElement>("[data-date]");
  const value = date?.dataset["date"];
  if (date === null || value === undefined) return undefined;
  const anchor = offsetOf(editor, date, 0);
  const head = anchor + (date.textContent ?? "").length;
  return () => onDate(value, { anchor, head });
}
