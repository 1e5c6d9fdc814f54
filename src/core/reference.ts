import { keyOfDate, nextWeekOf, tomorrowOf } from "./calendar/calendar-days.ts";
import type { WeekStart } from "./calendar/calendar.ts";
import {
  CALENDAR,
  INBOX,
  isNodeKey,
  keyInId,
  ROOT,
  systemNodeOf,
  type NodeKey,
  type OutlineId,
  yearKey,
  monthKey,
  dayKey,
} from "./node-key.ts";
import type { CalendarDate } from "./text/dates.ts";
import { withoutEnd } from "./text/without-end.ts";

/** What a text that refers to a node means, before looking whether the node is there. */
export type Reference =
  | { readonly kind: "root" }
  | { readonly kind: "node"; readonly key: NodeKey }
  /** `orRoot`: stands for the top level when there is no such shortcut. */
  | { readonly kind: "shortcut"; readonly shortcut: string; readonly orRoot: boolean }
  /** Another outline's id, a date that does not exist, or too long: refers to nothing, ever. */
  | { readonly kind: "unknown" };

export interface ReferenceContext {
  readonly outline: OutlineId;
  /** The date in the user's timezone; asked only when the reference depends on it. */
  readonly today: () => CalendarDate;
  readonly weekStart: WeekStart;
}

/** What finding a node asks of an outline. */
export interface ReferenceTree {
  has(key: NodeKey): boolean;
  contains(ancestor: NodeKey, key: NodeKey): boolean;
  /** The visible node of a shortcut, in any case. */
  shortcutNode(shortcut: string): NodeKey | undefined;
}

/** What finding a place for a node asks besides. */
export interface DestinationTree extends ReferenceTree {
  /** Whether a node that is not there can be made, and would then be at or below `ancestor`. */
  wouldContain(ancestor: NodeKey, key: NodeKey): boolean;
}

/** The system targets, in the order in which they are listed. */
export const SYSTEM_TARGETS = ["inbox", "calendar", "today", "tomorrow", "next_week"] as const;

const ROOT_NAMES: ReadonlySet<string> = new Set(["", "none", "null", "root"]);
const FULL_ID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/;
const DATE = /^([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?$/;
const URL_MARK = "#/";
const ID_MARK = "^";
const SHORTCUT_LENGTH = 100;
/** What the shortcut of a saved search begins with: its words stand behind it. */
export const SEARCH_MARK = "?";
/** Parts of a path that mean something else: no URL leads to a key of that name. */
const DOT_SEGMENTS: ReadonlySet<string> = new Set([".", ".."]);
/** Longer than any reference that means something, URLs of other services included. */
const MAX_LENGTH = 2048;

const UNKNOWN: Reference = { kind: "unknown" };

/**
 * Reads a reference in any of the forms of the specification, in any case. Total: a text that is
 * nothing else is taken for a shortcut, and one of more than 2,048 characters refers to nothing.
 */
export function parseReference(
  text: string | null | undefined,
  context: ReferenceContext,
): Reference {
  const trimmed = (text ?? "").trim();
  if (trimmed.length > MAX_LENGTH) return UNKNOWN;
  const folded = trimmed.toLowerCase();
  if (ROOT_NAMES.has(folded)) return { kind: "root" };
  if (folded === "home") return { kind: "shortcut", shortcut: folded, orRoot: true };

  const mark = folded.indexOf(URL_MARK);
  if (mark >= 0) {
    const path = folded.slice(mark + URL_MARK.length).split(/[?#&]/, 1)[0] ?? "";
    return parseId(withoutEnd(path, "/"), context.outline) ?? UNKNOWN;
  }
  const system = systemKeyOf(folded, context);
  if (system !== undefined) return { kind: "node", key: system };
  if (DATE.test(folded)) return UNKNOWN;
  return parseId(folded, context.outline) ?? { kind: "shortcut", shortcut: folded, orRoot: false };
}

/** @param named an id, maybe behind the sign with which assistants are shown it */
function parseId(named: string, outline: OutlineId): Reference | undefined {
  const text = named.startsWith(ID_MARK) ? named.slice(ID_MARK.length) : named;
  const isFull = FULL_ID.test(text);
  const key = isFull
    ? keyInId(text.replaceAll("-", ""), outline)
    : isNodeKey(text)
      ? text
      : undefined;
  if (key === undefined) return isFull ? UNKNOWN : undefined;
  return key === ROOT ? { kind: "root" } : { kind: "node", key };
}

function systemKeyOf(folded: string, context: ReferenceContext): NodeKey | undefined {
  switch (folded) {
    case "inbox":
      return INBOX;
    case "calendar":
      return CALENDAR;
    case "today":
      return keyOfDate(context.today());
    case "tomorrow":
      return keyOfDate(tomorrowOf(context.today()));
    case "next_week":
      return keyOfDate(nextWeekOf(context.today(), context.weekStart));
    default:
      return dateKeyOf(folded);
  }
}

function dateKeyOf(folded: string): NodeKey | undefined {
  const [, year, month, day] = DATE.exec(folded) ?? [];
  if (year === undefined) return undefined;
  const key =
    month === undefined
      ? yearKey(Number(year))
      : day === undefined
        ? monthKey(Number(year), Number(month))
        : dayKey(Number(year), Number(month), Number(day));
  const kind = systemNodeOf(key)?.kind;
  const wanted = month === undefined ? "year" : day === undefined ? "month" : "day";
  return kind === wanted ? key : undefined;
}

/**
 * The visible node that a reference means, or the root; undefined when there is none, or when it is
 * outside what is at and below `scope`. Inside a scope the top level is the scope's own node.
 */
export function find(
  tree: ReferenceTree,
  reference: Reference,
  scope: NodeKey = ROOT,
): NodeKey | undefined {
  const key = keyOf(tree, reference, scope);
  if (key === undefined || key === ROOT) return key;
  return tree.has(key) && tree.contains(scope, key) ? key : undefined;
}

/**
 * Like `find`, for the new parent of a node: also a missing inbox or calendar node, which creating
 * and moving make. In a scope it must come to stand in there.
 */
export function findDestination(
  tree: DestinationTree,
  reference: Reference,
  scope: NodeKey = ROOT,
): NodeKey | undefined {
  const found = find(tree, reference, scope);
  if (found !== undefined || reference.kind !== "node" || tree.has(reference.key)) return found;
  return tree.wouldContain(scope, reference.key) ? reference.key : undefined;
}

function keyOf(tree: ReferenceTree, reference: Reference, scope: NodeKey): NodeKey | undefined {
  switch (reference.kind) {
    case "root":
      return scope;
    case "node":
      return reference.key;
    case "shortcut": {
      // One that leads elsewhere is, in a scope, as one that is not there.
      const node = tree.shortcutNode(reference.shortcut);
      if (node !== undefined && tree.contains(scope, node)) return node;
      return reference.orRoot ? scope : undefined;
    }
    case "unknown":
      return undefined;
  }
}

/**
 * Why a text can't be a shortcut key, as a sentence; undefined when it can. Keys that mean something
 * else already, or look as if they did, are refused in any case.
 */
export function shortcutProblem(text: string): string | undefined {
  const folded = text.trim().toLowerCase();
  if (folded === "" || folded.length > SHORTCUT_LENGTH) {
    return `a shortcut key has 1 to ${SHORTCUT_LENGTH} characters`;
  }
  if (folded.includes("/") || /\p{Cc}|\p{Cs}/u.test(folded)) {
    return "a shortcut key has no slash and no control character";
  }
  if (DOT_SEGMENTS.has(folded)) return `"${folded}" can't stand in an address`;
  if (ROOT_NAMES.has(folded) || (SYSTEM_TARGETS as readonly string[]).includes(folded)) {
    return `"${folded}" is a system key`;
  }
  const id = folded.startsWith(ID_MARK) ? folded.slice(ID_MARK.length) : folded;
  if (isNodeKey(id) || FULL_ID.test(id)) return "a shortcut key may not look like an id";
  if (DATE.test(folded)) return "a shortcut key may not look like a date";
  return undefined;
}
