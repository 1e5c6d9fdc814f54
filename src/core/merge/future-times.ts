import type * as Y from "yjs";
import { believedCompletion, readCompletion, writeCompletion } from "../node/completion.ts";
import { encodeDeletion, parseDeletion } from "../node/deletion-mark.ts";
import type { ItemId } from "../yjs/item-id.ts";
import {
  encodePlacement,
  movedByPersonAt,
  parsePlacement,
  type Placement,
  restatedBy,
} from "../tree/placement.ts";
import { ATTRIBUTE, entryOf, isSecond } from "../schema.ts";
import { believed, encodeTimed, parseTimed } from "../node/timed-value.ts";

/** A Yjs type as far as it is a map. */
type Keyed = Parameters<typeof entryOf>[0];

/** What a register should hold instead of a time ahead of now; undefined when none is in it. */
type Clamp = (value: unknown, write: ItemId, nowMs: number) => string | number | undefined;

/** The registers of a node that hold times, besides its completion. */
const CLAMPS: readonly (readonly [attribute: string, clamp: Clamp])[] = [
  [ATTRIBUTE.placement, placementAhead],
  [ATTRIBUTE.deletion, deletionAhead],
  [ATTRIBUTE.layout, timedAhead],
  [ATTRIBUTE.modified, secondsAhead],
];

/** Whether registers with times are among attributes of a node. */
export function hasTimes(names: ReadonlySet<string | null>): boolean {
  return names.has(ATTRIBUTE.completed) || CLAMPS.some(([attribute]) => names.has(attribute));
}

/** Rewrites registers to what they should hold; to be called inside a transaction. */
export type Rewrite = () => void;

/**
 * Finds the times of a node that a wrong clock put ahead of now; undefined when there are none. They
 * are rewritten to now, with all else that the registers say: so nobody waits for a time to come
 * before the node can change again, and no write wins for a year.
 */
export function timesAhead(text: Y.Text, nowMs: number): Rewrite | undefined {
  const values: (readonly [string, string | number])[] = [];
  for (const [attribute, clamp] of CLAMPS) {
    const value = valueAhead(text, attribute, clamp, nowMs);
    if (value !== undefined) values.push([attribute, value]);
  }
  const completion = believedCompletion(readCompletion(text), nowMs);
  if (values.length === 0 && completion === undefined) return undefined;
  return () => {
    for (const [attribute, value] of values) text.setAttribute(attribute, value);
    if (completion !== undefined) writeCompletion(text, completion);
  };
}

/** The same for an entry of a map with a time behind its value: a shortcut, a setting. */
export function entryAhead(map: Y.Map<unknown>, name: string, nowMs: number): Rewrite | undefined {
  const value = valueAhead(map, name, timedAhead, nowMs);
  return value === undefined ? undefined : () => map.set(name, value);
}

/** A placement with the times that are believed; undefined when it has no others. */
export function placementBelieved(
  placement: Placement,
  write: ItemId,
  nowMs: number,
): Placement | undefined {
  const { createdAt, move, restates } = placement;
  const movedAt = movedByPersonAt(placement);
  const times = [createdAt, move?.at ?? 0, movedAt];
  if (times.every((at) => believed(at, nowMs) === at)) return undefined;
  return {
    ...placement,
    createdAt: believed(createdAt, nowMs),
    ...(move === undefined ? {} : { move: { ...move, at: believed(move.at, nowMs) } }),
    restates: {
      ...restatedBy(placement, write, restates?.how ?? "renewed"),
      movedAt: believed(movedAt, nowMs),
    },
  };
}

function valueAhead(
  type: Keyed,
  name: string,
  clamp: Clamp,
  nowMs: number,
): string | number | undefined {
  const item = entryOf(type, name);
  return item && clamp(item.content.getContent().at(-1), item.id, nowMs);
}

function placementAhead(value: unknown, write: ItemId, nowMs: number): string | undefined {
  const placement = typeof value === "string" ? parsePlacement(value) : undefined;
  const clamped = placement && placementBelieved(placement, write, nowMs);
  return clamped && encodePlacement(clamped);
}

function timedAhead(value: unknown, { client }: ItemId, nowMs: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const timed = parseTimed(value);
  const at = believed(timed.at, nowMs);
  return at === timed.at ? undefined : encodeTimed({ by: client, ...timed, at });
}

function deletionAhead(value: unknown, write: ItemId, nowMs: number): string | undefined {
  const clamped = timedAhead(value, write, nowMs);
  if (clamped === undefined) return undefined;
  const mark = parseDeletion(clamped);
  return encodeDeletion(mark && { restates: write, ...mark }, parseTimed(clamped));
}

function secondsAhead(value: unknown, _write: ItemId, nowMs: number): number | undefined {
  if (!isSecond(value)) return undefined;
  const seconds = Math.floor(believed(value * 1000, nowMs) / 1000);
  return seconds === value ? undefined : seconds;
}
