import { z } from "zod";
import { seededNode } from "../../core/calendar/month-seed.ts";
import type { NodeKey } from "../../core/node-key.ts";
import type { TreeRow } from "../../core/tree/tree-row.ts";
import { NO_SUCH_NODE, ProblemError } from "../problem.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { nodeLines } from "./node-lines.ts";

/** What of the outline is asked for. */
export interface ExcerptRequest {
  /** A visible node, or a reserved one that is not there yet; `top` is all that the key reaches. */
  readonly place: NodeKey | "top";
  /** Levels below it. */
  readonly depth: number;
  /** Most characters of the markdown. */
  readonly maxChars: number;
  /** The child of the place behind which to begin. */
  readonly after?: NodeKey | undefined;
}

const MOST_PLACES = 20;

/** A part of the outline, and where to read what there was no room for. */
export const EXCERPT = z.object({
  markdown: z.string().meta({
    description:
      "A line for each node, ending with ^ and its id, and +N where N of its children are not shown.",
  }),
  truncated: z
    .array(z.object({ ref: z.string(), after: z.string().optional() }))
    .nullable()
    .meta({
      description: `When there was no room for all: with what to read on, ${MOST_PLACES} places at most. Other nodes with +N are read by their ids.`,
    }),
});

export type Excerpt = z.infer<typeof EXCERPT>;

interface Shown {
  readonly row: TreeRow;
  readonly lines: readonly string[];
  /** Indentations. */
  readonly level: number;
  /** Those of its children that have room, within the characters of one answer. [Q17] */
  readonly below: Shown[];
}

/** Of the node that was asked for; nodes below it have `MOST_TEXT` at most. */
const PART_OF_FIRST = 1 / 2;
/** Fits behind the first, so that who reads on gets on. */
const PART_OF_OTHERS = 1 / 4;
const MOST_TEXT = 1000;
/** The id of a line, and how many children it does not show. */
const MARK_LENGTH = " ^8b1e42d07a9f +1000000".length;
/** What the top level is called as a reference. */
const TOP = "None";

/**
 * Makes the JSON of an `Excerpt`, upper levels first, in pieces of which all but the last are empty:
 * others may have their turn behind each. A node that leaves meanwhile is left out.
 */
export function* excerptPieces(view: ScopedOutline, request: ExcerptRequest): Generator<string> {
  const { place } = request;
  const row = view.outline.tree.visibleRow(
    place === "top" ? view.top : (view.heldBy(place) ?? place),
  );
  const excerpt =
    row === undefined ? excerptOfUnmade(place) : yield* new Reader(view, request).read(row);
  yield JSON.stringify(excerpt);
}

/** A reserved node as it will be once it is made. @throws ProblemError for another, which has left */
function excerptOfUnmade(place: NodeKey | "top"): Excerpt {
  const seeded = place === "top" ? undefined : seededNode(place);
  if (seeded === undefined) throw new ProblemError(NO_SUCH_NODE);
  const { name, date } = seeded;
  return { markdown: `- ${date === undefined ? name : `[${date}]`} ^${place}\n`, truncated: null };
}

class Reader {
  readonly #view: ScopedOutline;
  readonly #request: ExcerptRequest;
  #left: number;

  constructor(view: ScopedOutline, request: ExcerptRequest) {
    this.#view = view;
    this.#request = request;
    this.#left = request.maxChars;
  }

  *read(row: TreeRow): Generator<string, Excerpt> {
    const { place, depth, maxChars, after } = this.#request;
    const isNode = place !== "top";
    const mostOfFirst = maxChars * PART_OF_FIRST;
    const lines = isNode ? yield* this.#linesOf(row, 0, mostOfFirst, mostOfFirst) : [];
    this.#take(lines, 0);
    const first: Shown = { row, lines, level: isNode ? 0 : -1, below: [] };
    const queue = depth > 0 ? [first] : [];
    for (const [index, parent] of queue.entries()) {
      let last = parent === first ? after : undefined;
      for (const child of childrenBehind(parent.row, last)) {
        yield "";
        if (child.parent !== parent.row || !this.#view.outline.has(child.key)) continue;
        const level = parent.level + 1;
        const lines = yield* this.#linesOf(child, level, MOST_TEXT, maxChars * PART_OF_OTHERS);
        if (!this.#take(lines, level)) {
          return this.#excerptOf(first, [{ parent, last }, ...queue.slice(index + 1).map(wholly)]);
        }
        last = child.key;
        const shown: Shown = { row: child, lines, level, below: [] };
        parent.below.push(shown);
        if (child.children.length > 0 && level - first.level < depth) queue.push(shown);
      }
    }
    return this.#excerptOf(first, []);
  }

  /** With texts so short that all of it has at most `mostChars`. */
  *#linesOf(
    row: TreeRow,
    level: number,
    mostText: number,
    mostChars: number,
  ): Generator<string, readonly string[]> {
    for (let most = mostText; ; most = Math.floor(most / 4)) {
      const lines = nodeLines(this.#view, row, most);
      if (most === 0 || lengthOf(lines, level) <= mostChars) return lines;
      yield "";
    }
  }

  /** @returns false when there is no room for them */
  #take(lines: readonly string[], level: number): boolean {
    const length = lengthOf(lines, level);
    if (length > this.#left) return false;
    this.#left -= length;
    return true;
  }

  /** Children that a node has; those of a mirror are read by its id. */
  #countOf({ key }: TreeRow): number {
    const held = this.#view.heldBy(key);
    return held === undefined ? 0 : this.#view.outline.childCount(held);
  }

  #excerptOf(
    first: Shown,
    rest: readonly { readonly parent: Shown; readonly last: NodeKey | undefined }[],
  ): Excerpt {
    const places = rest.slice(0, MOST_PLACES).map(({ parent, last }) => {
      const ref = parent.level < 0 ? TOP : parent.row.key;
      return last === undefined ? { ref } : { ref, after: last };
    });
    const markdown = [...linesIn(first, (row) => this.#countOf(row))]
      .map((line) => `${line}\n`)
      .join("");
    return { markdown, truncated: places.length === 0 ? null : places };
  }
}

function wholly(parent: Shown): { readonly parent: Shown; readonly last: undefined } {
  return { parent, last: undefined };
}

function childrenBehind({ children }: TreeRow, key: NodeKey | undefined): readonly TreeRow[] {
  return children.slice(children.findIndex((child) => child.key === key) + 1);
}

function lengthOf(lines: readonly string[], level: number): number {
  const indentation = 2 * level + 1;
  return lines.reduce((sum, line) => sum + line.length + indentation, MARK_LENGTH);
}

function* linesIn(
  { row, lines, level, below }: Shown,
  countOf: (row: TreeRow) => number,
): Generator<string> {
  const indentation = "  ".repeat(Math.max(0, level));
  const hidden = countOf(row) - below.length;
  const [first, ...others] = lines;
  if (first !== undefined)
    yield `${indentation}${first} ^${row.key}${hidden > 0 ? ` +${hidden}` : ""}`;
  for (const line of others) yield indentation + line;
  for (const child of below) yield* linesIn(child, countOf);
}
