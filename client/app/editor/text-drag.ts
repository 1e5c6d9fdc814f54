import type { InlineEditor, TextRange } from "./inline-editor.ts";

/**
 * Text that is dragged from one place to another, in the same editor or a different one. The browser
 * tells first that it is to go, then where it is to come: nothing is done before both are known,
 * because the second place is one in the page as it was before.
 */
export class TextDrag {
  #taken: { readonly from: InlineEditor; readonly range: TextRange } | undefined;

  take(from: InlineEditor, { anchor, head }: TextRange): void {
    const range = { anchor: Math.min(anchor, head), head: Math.max(anchor, head) };
    this.#taken = { from, range };
  }

  /** Puts text where it was dropped, and takes it away from where it was. */
  drop(into: InlineEditor, at: number, text: string): void {
    const taken = this.#taken;
    this.#taken = undefined;
    if (taken === undefined) {
      into.insert(text, { anchor: at, head: at });
      return;
    }
    const { from, range } = taken;
    const isSame = from === into;
    if (isSame && at >= range.anchor && at <= range.head) return;
    from.insert("", range);
    const place = isSame && at > range.head ? at - (range.head - range.anchor) : at;
    into.insert(text, { anchor: place, head: place });
  }
}
