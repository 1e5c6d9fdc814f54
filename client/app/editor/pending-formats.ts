import type { Formats, FormatValue } from "../../../src/core/text/rich-text.ts";

/** Formats that were switched on or off at the caret, for what is typed there next. */
export class PendingFormats {
  #switched: ReadonlyMap<string, FormatValue | null> = new Map();

  get isEmpty(): boolean {
    return this.#switched.size === 0;
  }

  clear(): void {
    this.#switched = new Map();
  }

  /** The opposite of what would be typed now. @param formats what would be typed otherwise */
  toggle(format: string, formats: Formats): void {
    const isOn = this.over(formats)[format] !== undefined;
    this.#switched = new Map([...this.#switched, [format, isOn ? null : true]]);
  }

  /** Switches these off, and nothing else. */
  setOff(formats: readonly string[]): void {
    this.#switched = new Map(formats.map((format) => [format, null]));
  }

  /** What is typed, where it would be `formats` otherwise. */
  over(formats: Formats): Formats {
    const result = new Map(Object.entries(formats));
    for (const [format, value] of this.#switched) {
      if (value === null) result.delete(format);
      else result.set(format, value);
    }
    return Object.fromEntries(result);
  }
}
