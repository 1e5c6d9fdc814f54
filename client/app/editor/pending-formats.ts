import type { Formats, FormatValue } from "../../../src/core/text/rich-text.ts";
import type { TextRange } from "./inline-editor.ts";

/** Formats that were switched on or off at a caret, for what is typed there next. */
export class PendingFormats {
  #switched: ReadonlyMap<string, FormatValue | null> = new Map();
  #at = 0;

  clear(): void {
    this.#switched = new Map();
  }

  /** The opposite of what would be typed now. @param formats what would be typed otherwise */
  toggle(at: number, format: string, formats: Formats): void {
    const isOn = (this.over(at, formats) ?? formats)[format] !== undefined;
    const before = this.#at === at ? this.#switched : [];
    this.#switched = new Map([...before, [format, isOn ? null : true]]);
    this.#at = at;
  }

  /** Switches these off, and nothing else. */
  setOff(at: number, formats: readonly string[]): void {
    this.#switched = new Map(formats.map((format) => [format, null]));
    this.#at = at;
  }

  /** The selection is this now: elsewhere nothing is switched any more. */
  keepAt({ anchor, head }: TextRange): void {
    if (anchor !== head || head !== this.#at) this.clear();
  }

  /** The text has changed around the caret. */
  move(to: (at: number) => number): void {
    this.#at = to(this.#at);
  }

  /** What is typed at a place where it would be `formats` otherwise; undefined for just that. */
  over(at: number, formats: Formats): Formats | undefined {
    if (this.#switched.size === 0 || at !== this.#at) return undefined;
    const result = new Map(Object.entries(formats));
    for (const [format, value] of this.#switched) {
      if (value === null) result.delete(format);
      else result.set(format, value);
    }
    return Object.fromEntries(result);
  }
}
