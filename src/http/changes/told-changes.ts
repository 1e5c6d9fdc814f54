import type { Principal } from "../../accounts/principal.ts";
import { newRecentMap } from "../../charges/recent-map.ts";
import { payingOutline } from "../../charges/payer.ts";
import { countWhile } from "../../core/count-while.ts";
import { isNodeKey, type NodeKey } from "../../core/node-key.ts";
import type { ChangeJournal } from "../../documents/replica/change-journal.ts";
import type { OutlineDocument } from "../../documents/replica/outline-document.ts";
import { TooLongAgoError } from "../../documents/replica/past-places.ts";
import { runSlice } from "../../documents/turns/slices.ts";
import {
  CURSOR_EXPIRED,
  type CursorScope,
  INVALID_CURSOR,
  readCursor,
  writeCursor,
} from "../answer/cursor.ts";
import { endOf } from "../intake/in-force.ts";
import { NO_SUCH_NODE, type Problem, ProblemError } from "../problem.ts";
import { ScopedOutline } from "../scoped-outline.ts";
import type { Service } from "../service.ts";
import { type ChangeKind, nodesOfKinds } from "./change-kinds.ts";
import {
  changedLists,
  changedNodes,
  compareTold,
  type Rank,
  removedNodes,
  type Told,
} from "./changed-nodes.ts";

/** What of an outline is followed, and from when on. */
export interface Following {
  /** A reference; all that the key reaches when left out. */
  readonly root?: string | undefined;
  /** A cursor; without it there is nothing to tell yet. */
  readonly since?: string | undefined;
  /** Nodes of a page. */
  readonly limit: number;
  /** Whether the order of siblings is followed, too; not when left out. */
  readonly isOrdered?: boolean | undefined;
  /** Which kinds are told; all when left out. A page may then have less than there is room for. */
  readonly kinds?: ReadonlySet<ChangeKind> | undefined;
}

/** What has changed, as far as a page tells it. */
export interface ToldChanges {
  readonly kind: "told";
  /** Nodes to be shown as they are, parents and children in any order. */
  readonly changed: readonly NodeKey[];
  /** Nodes to be removed with all that is below them, after all that has changed was taken in. */
  readonly removed: readonly NodeKey[];
  /** Nodes whose children are to be put in order, after that; undefined when nobody asked. */
  readonly lists: readonly NodeKey[] | undefined;
  readonly cursor: string;
  readonly more: boolean;
}

/** How often it is tried to come to an end while there are new changes all the time. */
const MOST_TRIES = 5;
/** Behind every key. */
const LAST_KEY = "ffffffffffff";
const PARTS = 4;
/** What was found last, of so many outlines and parts of them. */
const MOST_FOUND = 16;

/** Found for a long list of which only a page was answered. */
interface Found {
  readonly journal: ChangeJournal;
  readonly told: Told;
}

/** By outline, what the key reaches of it, place and where it begins [Q79]. */
const FOUND = newRecentMap<Found>(MOST_FOUND);

/** Where a cursor stands. */
interface Position {
  readonly epoch: string;
  /** The change behind which the run of pages began. */
  readonly since: number;
  /** What was told last in this run; change 0 when nothing was. */
  readonly behind: Rank;
}

type Needed = Pick<Service, "documents" | "turns" | "now">;

/**
 * Finds out what has changed since a cursor, in turns of whom it is for: nothing in it that is not
 * durable.
 * @throws ProblemError, UnavailableError
 */
export async function toldChanges(
  service: Needed,
  principal: Principal,
  following: Following,
): Promise<ToldChanges | Problem> {
  return service.documents.use(principal.outline, async (document) => {
    const look = await document.read(() => lookAt(service, principal, document, following));
    if (look.kind === "problem") return look;
    const { epoch } = document;
    const { scope, position } = look;
    const { limit, isOrdered = false, kinds } = following;
    const cursorAt: Run["cursorAt"] = (since, { number, key } = UNREAD) =>
      writeCursor(scope, [epoch, since, number, key]);
    if (position === undefined) {
      const cursor = cursorAt(look.last);
      const lists = isOrdered ? [] : undefined;
      return { kind: "told", changed: [], removed: [], lists, cursor, more: false };
    }
    const isKept = position.epoch === epoch && (await document.changes.reach(position.since));
    if (!isKept) return CURSOR_EXPIRED;
    const inTurns: Run["inTurns"] = (work) => workInTurns(service, principal, document, work);
    const { changes: journal } = document;
    const run = { ...look, journal, position, isOrdered, kinds, cursorAt, inTurns };
    try {
      const told = await pageOf(run, limit);
      return document.changes.reaches(position.since) ? told : CURSOR_EXPIRED;
    } catch (error) {
      if (error instanceof TooLongAgoError) return CURSOR_EXPIRED;
      throw error;
    }
  });
}

/** A run of pages, of which one is asked for. */
interface Run {
  readonly view: ScopedOutline;
  readonly within: NodeKey;
  readonly journal: ChangeJournal;
  readonly position: Position;
  readonly isOrdered: boolean;
  readonly kinds: ReadonlySet<ChangeKind> | undefined;
  readonly cursorAt: (since: number, behind?: Rank | Unread) => string;
  readonly inTurns: <T>(work: Generator<void, T>) => Promise<T>;
}

async function pageOf(run: Run, limit: number): Promise<ToldChanges> {
  const { view, within, journal, position, isOrdered, kinds, cursorAt, inTurns } = run;
  const { since, behind } = position;
  const span = { within, since };
  const name = `${view.outline.id} ${view.top} ${within} ${since}`;
  const notYet = isOrdered ? [] : undefined;
  for (let tries = 1; ; tries++) {
    const known = FOUND.get(name);
    const isNew = known?.journal !== journal || known.told.upTo !== journal.last;
    const told = isNew ? await inTurns(changedNodes(view, journal, span)) : known.told;
    const { changed: all, upTo } = told;
    const from = countWhile(all.length, (index) => {
      const node = all[index];
      return node !== undefined && compareTold(node, behind) <= 0;
    });
    const page = all.slice(from, from + limit);
    const last = page.at(-1);
    const changed =
      kinds === undefined
        ? page.map(({ key }) => key)
        : await inTurns(nodesOfKinds(view, journal, span, { nodes: page, kinds }));
    if (last !== undefined && from + page.length < all.length) {
      FOUND.set(name, { journal, told });
      const cursor = cursorAt(since, last);
      return { kind: "told", changed, removed: [], lists: notYet, cursor, more: true };
    }
    FOUND.delete(name);
    const found = await inTurns(removedNodes(view, journal, span, upTo));
    if (found !== undefined) {
      const removed = kinds?.has("removed") === false ? [] : found;
      const lists = isOrdered ? await inTurns(changedLists(view, journal, span, all)) : undefined;
      return { kind: "told", changed, removed, lists, cursor: cursorAt(upTo), more: false };
    }
    if (page.length > 0 || tries === MOST_TRIES) {
      const end = { number: upTo, key: LAST_KEY as NodeKey };
      const cursor = cursorAt(since, end);
      return { kind: "told", changed, removed: [], lists: notYet, cursor, more: true };
    }
  }
}

interface Unread {
  readonly number: 0;
  readonly key: "";
}

const UNREAD: Unread = { number: 0, key: "" };

interface Look {
  readonly kind: "look";
  readonly view: ScopedOutline;
  readonly within: NodeKey;
  readonly scope: CursorScope;
  readonly position: Position | undefined;
  readonly last: number;
}

function lookAt(
  { now }: Needed,
  principal: Principal,
  { outline, changes }: OutlineDocument,
  { root, since, isOrdered = false }: Following,
): Look | Problem {
  const end = endOf(principal, now());
  if (end !== undefined) return end;
  const view = new ScopedOutline(outline, principal.root, now);
  const within = view.place(root);
  if (within === undefined) return NO_SUCH_NODE;
  // What was recorded when nobody could follow the order tells less of it than has to be known.
  const of = [outline.id, view.top, within, ...(isOrdered ? ["order"] : [])];
  const scope: CursorScope = { kind: "changes", of };
  const read = since === undefined ? undefined : positionOf(scope, since);
  if (read?.kind === "problem") return read;
  return { kind: "look", view, within, scope, position: read?.position, last: changes.last };
}

function positionOf(
  scope: CursorScope,
  text: string,
): { readonly kind: "position"; readonly position: Position } | Problem {
  const read = readCursor(scope, text, PARTS);
  if (read.kind === "problem") return read;
  const [epoch, since, number, key] = read.parts;
  if (typeof epoch !== "string" || typeof key !== "string") return INVALID_CURSOR;
  if (!isCount(since) || !isCount(number)) return INVALID_CURSOR;
  if (key !== "" && !isNodeKey(key)) return INVALID_CURSOR;
  const behind = { number, key: key as NodeKey };
  return { kind: "position", position: { epoch, since, behind } };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

/** @throws ProblemError when the key has ended */
async function workInTurns<T>(
  { turns, now }: Needed,
  principal: Principal,
  document: OutlineDocument,
  work: Generator<void, T>,
): Promise<T> {
  const payer = payingOutline(principal.outline);
  try {
    for (;;) {
      const end = endOf(principal, now());
      if (end !== undefined) throw new ProblemError(end);
      const step = await turns.takeTurn(payer, (turn) => {
        const slice = (): IteratorResult<void, T> => runSlice(work, turn);
        return document.readNow(slice)?.result ?? document.read(slice);
      });
      if (step.done === true) return step.value;
    }
  } finally {
    work.return(undefined as T);
  }
}
