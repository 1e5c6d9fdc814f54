import { listen } from "../state/listen.ts";
import type { OutlineScreen } from "./focus/outline-screen.ts";
import type { Row } from "./rows/outline-rows.ts";
import { RowPlaces } from "./rows/row-places.ts";
import type { RowPlace } from "./focus/left-places.ts";

/** Drawn beyond both edges of the window, in pixels. */
const BEYOND_PX = 240;
/** Whatever the heights say: more are never drawn. */
const MOST_ROWS = 69;
/** Kept free around a row that is scrolled to: the page has a header there. */
const EDGE_PX = 80;
const USUAL_PX = 31;

/**
 * Which of the rows are drawn while the window scrolls over them. What is looked at stays where it is
 * when rows above it come, go, or turn out higher than they were thought to be.
 */
export class RowWindow {
  readonly places = new RowPlaces(USUAL_PX);
  readonly #screen: OutlineScreen;
  readonly #renew: () => void;
  #list: HTMLElement | undefined;
  #resized: ResizeObserver | undefined;
  readonly #observed = new Set<Element>();
  /** Where the list begins, from the top of the page. */
  #top = 0;
  #width = 0;
  #first = 0;
  #last = -1;
  /** What is to stay in its place when the rows are drawn next. */
  #anchor: RowPlace | undefined;

  constructor(screen: OutlineScreen, renew: () => void) {
    this.#screen = screen;
    this.#renew = renew;
    screen.scrollToRow = (index) => this.#scrollTo(index);
    screen.showRowAt = (place) => this.#showAt(place);
    screen.rowAtEdge = () => this.#anchorNow();
    screen.rowBeyond = (index, px) => this.places.indexAt(this.places.topOf(index) + px);
  }

  /** The rows from now on: called while they are being drawn. */
  take(rows: readonly Row[]): void {
    if (rows !== this.places.rows) {
      this.#anchor = this.#anchorNow();
      this.places.rows = rows;
      this.#moveAnchor();
    }
    this.#range();
  }

  /** The indices of the rows to draw: those in sight, and the one with the caret. */
  indices(): readonly number[] {
    const indices: number[] = [];
    for (let index = this.#first; index <= this.#last; index++) indices.push(index);
    // Without its row in the page the caret had no place, and keys nobody to go to.
    const { focus, rows } = this.#screen.workspace;
    const state = focus.state.get();
    const caret = state?.kind === "text" ? rows.indexOf(state.id) : -1;
    if (caret >= 0 && caret < this.#first) indices.unshift(caret);
    else if (caret > this.#last) indices.push(caret);
    return indices;
  }

  /** Listens to the page. Answers how to stop. */
  follow(list: HTMLElement): () => void {
    this.#list = list;
    const update = (): void => {
      if (this.#range()) this.#renew();
    };
    const stop = listen(window, { scroll: update, resize: update }, { passive: true });
    this.#resized = new ResizeObserver(() => this.settle());
    for (let above = list.parentElement; above !== null; above = above.parentElement) {
      this.#resized.observe(above);
    }
    this.settle();
    return () => {
      stop();
      this.#resized?.disconnect();
      this.#observed.clear();
      this.#list = undefined;
    };
  }

  /** Measures what is drawn, and draws again when it was not as it was thought. */
  settle(): void {
    const list = this.#list;
    if (list === undefined) return;
    const box = list.getBoundingClientRect();
    const top = box.top + window.scrollY;
    const isMoved = Math.abs(top - this.#top) > 0.5;
    this.#top = top;
    if (box.width !== this.#width) {
      if (this.#width !== 0) this.places.forget();
      this.#width = box.width;
    }
    const anchor = this.#anchorNow();
    const heights = new Map<number, number>();
    for (const element of list.children) {
      if (!(element instanceof HTMLElement)) continue;
      this.#observe(element);
      const index = Number(element.dataset["index"]);
      if (this.places.rows[index]?.id !== element.dataset["key"]) continue;
      heights.set(index, element.getBoundingClientRect().height);
    }
    for (const element of this.#observed) {
      if (element.isConnected) continue;
      this.#resized?.unobserve(element);
      this.#observed.delete(element);
    }
    const isOther = this.places.measured(heights);
    if (!isOther && !isMoved) return;
    this.#anchor = anchor;
    this.#moveAnchor();
    this.#range();
    this.#renew();
  }

  #observe(element: Element): void {
    if (this.#observed.has(element)) return;
    this.#observed.add(element);
    this.#resized?.observe(element);
  }

  /** Works out what is in sight. True when that is not what is drawn. */
  #range(): boolean {
    const { rows } = this.places;
    const from = window.scrollY - this.#top;
    const first = this.places.indexAt(from - BEYOND_PX);
    const last = Math.min(
      this.places.indexAt(from + window.innerHeight + BEYOND_PX),
      first + MOST_ROWS - 1,
      rows.length - 1,
    );
    if (first === this.#first && last === this.#last) return false;
    this.#first = first;
    this.#last = last;
    return true;
  }

  /** Nothing is held at the top of the page: there the beginning is looked at. */
  #anchorNow(): RowPlace | undefined {
    const from = window.scrollY - this.#top;
    if (this.#list === undefined || from <= 0) return undefined;
    const index = this.places.indexAt(from);
    const row = this.places.rows[index];
    return row && { id: row.id, offset: this.places.topOf(index) - from };
  }

  #moveAnchor(): void {
    const anchor = this.#anchor;
    this.#anchor = undefined;
    const index = anchor === undefined ? -1 : this.#screen.workspace.rows.indexOf(anchor.id);
    if (anchor === undefined || index < 0 || this.#list === undefined) return;
    const away = this.places.topOf(index) - (window.scrollY - this.#top) - anchor.offset;
    if (Math.abs(away) < 1) return;
    // The page must be high enough to be scrolled that far.
    this.#list.style.height = `${this.places.height}px`;
    window.scrollBy({ top: away, behavior: "instant" });
  }

  #showAt(place: RowPlace): void {
    // The list may begin elsewhere than in the view before.
    this.settle();
    this.#anchor = place;
    this.#moveAnchor();
    if (this.#range()) this.#renew();
  }

  #scrollTo(index: number): void {
    const top = this.places.topOf(index) + this.#top;
    const bottom = this.places.topOf(index + 1) + this.#top;
    const from = window.scrollY;
    const to = from + window.innerHeight;
    if (top - EDGE_PX < from) window.scrollTo({ top: top - EDGE_PX, behavior: "instant" });
    else if (bottom + EDGE_PX > to) {
      window.scrollTo({ top: bottom + EDGE_PX - window.innerHeight, behavior: "instant" });
    }
    if (this.#range()) this.#renew();
  }
}
