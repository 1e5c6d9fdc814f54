import { getOrMake } from "../get-or-make.ts";
import { type Formats, type FormatValue, isKnownFormat } from "./rich-text.ts";

/** Names of formats that this service does not know and that one text may have. */
export const MAX_FOREIGN_FORMATS = 8;

/** Formats that are open together, in the order in which they were opened. */
interface OpenSet {
  /** Undefined for none. */
  readonly formats: Formats | undefined;
  /** What it becomes when a format starts with a value or, at `null`, ends; made when it is needed. */
  next: Map<string, Map<FormatValue | null, OpenSet>> | undefined;
}

/**
 * The formats that are open at a place of a text that is read from its start. The same ones are the
 * same object, wherever they are: a text may change its formats at every letter. Of formats that are
 * not known here, those with the first few names of the text count.
 */
export class OpenFormats {
  readonly #sets = new Map<string, OpenSet>();
  readonly #numbers = new Map<string, Map<FormatValue, number>>();
  #count = 0;
  readonly #foreign = new Set<string>();
  #open = this.#setOf(new Map());

  get formats(): Formats | undefined {
    return this.#open.formats;
  }

  /** Goes past a mark; values that are neither `true` nor a string end the format. */
  pass(key: string, marked: unknown): void {
    const value = marked === true || typeof marked === "string" ? marked : null;
    const following = (this.#open.next ??= new Map());
    const byValue = getOrMake(following, key, () => new Map());
    this.#open = getOrMake(byValue, value, () => this.#after(key, value));
  }

  #after(key: string, value: FormatValue | null): OpenSet {
    const values = new Map(Object.entries(this.#open.formats ?? {}));
    if (value === null) values.delete(key);
    else if (this.#counts(key)) values.set(key, value);
    return this.#setOf(values);
  }

  #counts(key: string): boolean {
    if (isKnownFormat(key) || this.#foreign.has(key)) return true;
    if (this.#foreign.size === MAX_FOREIGN_FORMATS) return false;
    this.#foreign.add(key);
    return true;
  }

  #setOf(values: ReadonlyMap<string, FormatValue>): OpenSet {
    let name = "";
    for (const [key, value] of values) name += `${this.#numberOf(key, value)},`;
    return getOrMake(this.#sets, name, () => {
      // With own properties only, whatever a key is called.
      const formats = values.size === 0 ? undefined : Object.fromEntries(values);
      return { formats, next: undefined };
    });
  }

  /** A number for a format with a value, which is short however long the value is. */
  #numberOf(key: string, value: FormatValue): number {
    const numbers = getOrMake(this.#numbers, key, () => new Map<FormatValue, number>());
    return getOrMake(numbers, value, () => this.#count++);
  }
}
