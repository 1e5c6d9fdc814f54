import { isRecord } from "../../page/is-record.ts";
import type { TextFocus } from "./focus.ts";
import { isRowId, type RowId } from "../rows/row-id.ts";

/** The row at the upper edge of the window; its top is `offset` pixels below that edge. */
export interface RowPlace {
  readonly id: RowId;
  readonly offset: number;
}

/** How a view was left. */
export interface LeftPlace {
  /** Pixels that the page was scrolled; where no row is at the edge, that alone says the place. */
  readonly top: number;
  readonly row?: RowPlace;
  readonly caret?: TextFocus;
}

/** Nobody goes back further. */
const MOST_PLACES = 60;

/** How each entry of the browser's history was left, by the name of the entry. */
export class LeftPlaces {
  /** The one that was left last is the last one. */
  readonly #places = new Map<string, LeftPlace>();

  /** @param stored what `stored` gave an earlier page; anything else counts as nothing */
  constructor(stored: unknown) {
    for (const each of Array.isArray(stored) ? (stored as readonly unknown[]) : []) {
      const [entry, value] = Array.isArray(each) ? (each as readonly unknown[]) : [];
      const place = readPlace(value);
      if (typeof entry === "string" && place !== undefined) this.#places.set(entry, place);
    }
  }

  get(entry: string): LeftPlace | undefined {
    return this.#places.get(entry);
  }

  leave(entry: string, place: LeftPlace): void {
    this.#places.delete(entry);
    this.#places.set(entry, place);
    for (const oldest of this.#places.keys()) {
      if (this.#places.size <= MOST_PLACES) break;
      this.#places.delete(oldest);
    }
  }

  /** All of them as a JSON value, for the next page of this tab. */
  stored(): unknown {
    return [...this.#places];
  }
}

function readPlace(value: unknown): LeftPlace | undefined {
  if (!isRecord(value) || typeof value["top"] !== "number") return undefined;
  const [row, caret] = [readRow(value["row"]), readCaret(value["caret"])];
  return { top: value["top"], ...(row && { row }), ...(caret && { caret }) };
}

function readRow(value: unknown): RowPlace | undefined {
  if (!isRecord(value)) return undefined;
  const { id, offset } = value;
  return isId(id) && typeof offset === "number" ? { id, offset } : undefined;
}

function readCaret(value: unknown): TextFocus | undefined {
  if (!isRecord(value)) return undefined;
  const { id, part, anchor, head } = value;
  const isPart = part === "name" || part === "note";
  if (!isId(id) || !isPart || typeof anchor !== "number" || typeof head !== "number") {
    return undefined;
  }
  return { kind: "text", id, part, anchor, head };
}

function isId(value: unknown): value is RowId {
  return typeof value === "string" && isRowId(value);
}
