import type { NodeKey } from "../core/node-key.ts";
import type { ImportLimits, OutlineEntry, ReadResult } from "./outline-entry.ts";

/** Bytes of a text in UTF-8; a lone surrogate counts as the replacement character it becomes. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    // Both halves of a surrogate pair are counted as two bytes each: four together.
    const isPairHalf = unit >= 0xd800 && unit <= 0xdfff;
    bytes += unit < 0x800 || isPairHalf ? 1 : 2;
  }
  return bytes;
}

/**
 * Gathers what a reader finds and holds it to the limits. The first failure stays; whatever comes
 * after it is ignored, so a reader may finish its piece before it looks.
 */
export class EntryCollector {
  readonly #limits: ImportLimits;
  readonly #unit: "line" | "node";
  readonly #entries: OutlineEntry[] = [];
  readonly #keys = new Set<NodeKey>();
  #failure: { readonly place?: string; readonly reason: string } | undefined;

  /** @param unit what places are numbered by, in the sentences for people */
  constructor(limits: ImportLimits, unit: "line" | "node" = "line") {
    this.#limits = limits;
    this.#unit = unit;
  }

  get isBroken(): boolean {
    return this.#failure !== undefined;
  }

  /** @param at where the entry begins */
  add(entry: OutlineEntry, at: number): void {
    if (this.isBroken) return;
    const { maxNodes, maxDepth, maxTextBytes } = this.#limits;
    if (this.#entries.length >= maxNodes) this.fail(at, `more than ${maxNodes} nodes`);
    else if (entry.depth >= maxDepth) this.fail(at, `more than ${maxDepth} levels deep`);
    else if (this.#isTooLong(entry.name)) this.fail(at, `a name of over ${maxTextBytes} bytes`);
    else if (entry.note !== undefined && this.#isTooLong(entry.note))
      this.fail(at, `a note of over ${maxTextBytes} bytes`);
    else this.#entries.push(this.#withOwnKey(entry));
  }

  /** @param at undefined when it is known of the file as a whole */
  fail(at: number | undefined, reason: string): void {
    this.#failure ??= { ...(at !== undefined && { place: `${this.#unit} ${at}` }), reason };
  }

  result(): ReadResult {
    if (this.#failure !== undefined) return { kind: "broken", ...this.#failure };
    return { kind: "read", entries: this.#entries };
  }

  /** Two nodes of a file may wish for one key: the first has it. */
  #withOwnKey(entry: OutlineEntry): OutlineEntry {
    const { key, ...keyless } = entry;
    if (key === undefined) return entry;
    if (this.#keys.has(key)) return keyless;
    this.#keys.add(key);
    return entry;
  }

  #isTooLong(text: string): boolean {
    const { maxTextBytes } = this.#limits;
    // No text has more than three bytes for each code unit.
    return text.length * 3 > maxTextBytes && utf8Length(text) > maxTextBytes;
  }
}
