import type { NodeKey } from "../node-key.ts";
import { decodeTimeAt, encodeTime, TIME_LENGTH } from "../hybrid-clock.ts";
import { encodeItemId, parseItemId, type ItemId } from "../yjs/item-id.ts";
import { isOrderKey } from "./order-key.ts";
import { decodeBits, encode24Bits } from "./ordered-digits.ts";

/** A position in the tree: below `parent`, among its children by `order`. */
export interface Place {
  readonly parent: NodeKey;
  readonly order: string;
}

/**
 * What a node's placement register holds. It is one string, so a move is never torn apart: either
 * all of it wins or nothing.
 */
export interface Placement extends Place {
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Absent while nobody has moved the node, and where repair wrote down what was shown. */
  readonly move?: {
    /** Hybrid logical time in Unix milliseconds. */
    readonly at: number;
    /** Where the node was shown before. */
    readonly from: Place;
  };
  /** Set when no person put the node here, but a replica by the rules. */
  readonly restates?: Restated;
}

/** The write by a person that stands behind one by a replica. */
export interface Restated extends ItemId {
  /**
   * - `reordered`: the node is where that write says, only its order is another;
   * - `renewed`: the node is where that write says, which had lost against a weaker one;
   * - `displaced`: the node is elsewhere, because where that write says it can't be or was deleted.
   */
  readonly how: "reordered" | "renewed" | "displaced";
  /** The time of the move that it was, in Unix milliseconds; 0 for a creation. */
  readonly movedAt: number;
}

/*
 * parent(8) createdAt(7) order [ "!" movedAt(7) fromParent(8) fromOrder ]
 *   [ "'" how movedAt(7) client "." clock ]        how: O reordered, N renewed, D displaced
 *
 * Keys are packed from 12 hexadecimal digits into 8 characters of the order alphabet, times as in
 * hybrid-clock.ts, ids in base 36. The two marks are outside the alphabet.
 */
const KEY_LENGTH = 8;
const ORDER_START = KEY_LENGTH + TIME_LENGTH;
const MOVE_MARK = "!";
const RESTATES_MARK = "'";
const HOW_LETTERS = { reordered: "O", renewed: "N", displaced: "D" } as const;
const HOWS = ["reordered", "renewed", "displaced"] as const;
/** Far above what repair lets an order key grow to, far below what would slow down comparing. */
export const MAX_READABLE_ORDER = 4_096;

function packKey(key: NodeKey): string {
  const high = Number.parseInt(key.slice(0, 6), 16);
  const low = Number.parseInt(key.slice(6), 16);
  return encode24Bits(high) + encode24Bits(low);
}

function unpackKey(text: string, start: number): NodeKey | undefined {
  const high = decodeBits(text, start);
  const low = decodeBits(text, start + 4);
  if (high < 0 || low < 0) return undefined;
  return (high.toString(16).padStart(6, "0") + low.toString(16).padStart(6, "0")) as NodeKey;
}

function isOrder(text: string): boolean {
  return text.length <= MAX_READABLE_ORDER && isOrderKey(text);
}

/**
 * The write by a person that stands behind a placement.
 * @param write the item that holds the placement
 */
export function restatedBy(
  { move, restates }: Placement,
  { client, clock }: ItemId,
  how: Restated["how"],
): Restated {
  return restates === undefined
    ? { client, clock, how, movedAt: move?.at ?? 0 }
    : { ...restates, how };
}

/** The time of the move by a person that stands behind a placement; 0 while nobody has moved it. */
export function movedByPersonAt({ move, restates }: Placement): number {
  return restates?.movedAt ?? move?.at ?? 0;
}

/** Writes the register. Every part must be well-formed. */
export function encodePlacement(placement: Placement): string {
  const { parent, createdAt, order, move, restates } = placement;
  let text = packKey(parent) + encodeTime(createdAt) + order;
  if (move !== undefined) {
    text += MOVE_MARK + encodeTime(move.at) + packKey(move.from.parent) + move.from.order;
  }
  if (restates !== undefined) {
    const { how, movedAt } = restates;
    text += RESTATES_MARK + HOW_LETTERS[how] + encodeTime(movedAt) + encodeItemId(restates);
  }
  return text;
}

/** Reads the register; undefined for anything that `encodePlacement` can't have written. */
export function parsePlacement(text: string): Placement | undefined {
  const parent = unpackKey(text, 0);
  const createdAt = decodeTimeAt(text, KEY_LENGTH);
  if (parent === undefined || createdAt === undefined) return undefined;

  const restatesAt = text.indexOf(RESTATES_MARK, ORDER_START);
  const end = restatesAt < 0 ? text.length : restatesAt;
  const moveAt = text.indexOf(MOVE_MARK, ORDER_START);
  const orderEnd = moveAt < 0 ? end : moveAt;
  const order = text.slice(ORDER_START, orderEnd);
  if (!isOrder(order)) return undefined;
  if (moveAt < 0 && restatesAt < 0) return { parent, createdAt, order };

  const restates = restatesAt < 0 ? undefined : parseRestated(text.slice(restatesAt + 1));
  const move = moveAt < 0 ? undefined : parseMove(text.slice(moveAt + 1, end));
  if (restatesAt >= 0 && restates === undefined) return undefined;
  if (moveAt >= 0 && move === undefined) return undefined;
  return {
    parent,
    createdAt,
    order,
    ...(move === undefined ? {} : { move }),
    ...(restates === undefined ? {} : { restates }),
  };
}

/** The parent in a register that `parsePlacement` accepts, without reading the rest. */
export function parentIn(register: string): NodeKey {
  return unpackKey(register, 0) ?? ("" as NodeKey);
}

/** The order in a register that `parsePlacement` accepts, without reading the rest. */
export function orderIn(register: string): string {
  for (let index = ORDER_START; index < register.length; index++) {
    const char = register[index];
    if (char === MOVE_MARK || char === RESTATES_MARK) return register.slice(ORDER_START, index);
  }
  return register.slice(ORDER_START);
}

/** When the node was created, in a register that `parsePlacement` accepts. Unix milliseconds. */
export function createdAtIn(register: string): number {
  return decodeTimeAt(register, KEY_LENGTH) ?? 0;
}

/** The time of the move, in a register that `parsePlacement` accepts; undefined when it has none. */
export function moveTimeIn(register: string): number | undefined {
  const moveAt = register.indexOf(MOVE_MARK, ORDER_START);
  return moveAt < 0 ? undefined : decodeTimeAt(register, moveAt + 1);
}

/** Whether repair moved a node, in a register that `parsePlacement` accepts. */
export function isTransferIn(register: string): boolean {
  const restatesAt = register.indexOf(RESTATES_MARK, ORDER_START);
  if (restatesAt < 0 || register[restatesAt + 1] !== HOW_LETTERS.displaced) return false;
  return register.indexOf(MOVE_MARK, ORDER_START) >= 0;
}

/** Like `movedByPersonAt`, in a register that `parsePlacement` accepts. Unix milliseconds. */
export function movedByPersonAtIn(register: string): number {
  const restatesAt = register.indexOf(RESTATES_MARK, ORDER_START);
  const moveAt = register.indexOf(MOVE_MARK, ORDER_START);
  const start = restatesAt >= 0 ? restatesAt + 2 : moveAt + 1;
  if (start === 0) return 0;
  return decodeTimeAt(register, start) ?? 0;
}

/** The write by a person that stands behind one by a replica, in a register that `parsePlacement` accepts. */
export function restatedIn(register: string): ItemId | undefined {
  const restatesAt = register.indexOf(RESTATES_MARK, ORDER_START);
  return restatesAt < 0 ? undefined : parseRestated(register.slice(restatesAt + 1));
}

function parseRestated(text: string): Restated | undefined {
  const how = HOWS.find((each) => text.startsWith(HOW_LETTERS[each]));
  const movedAt = decodeTimeAt(text, 1);
  const id = parseItemId(text.slice(1 + TIME_LENGTH));
  return how === undefined || movedAt === undefined || id === undefined
    ? undefined
    : { ...id, how, movedAt };
}

function parseMove(text: string): NonNullable<Placement["move"]> | undefined {
  const at = decodeTimeAt(text, 0);
  const parent = unpackKey(text, TIME_LENGTH);
  const order = text.slice(TIME_LENGTH + KEY_LENGTH);
  return at === undefined || parent === undefined || !isOrder(order)
    ? undefined
    : { at, from: { parent, order } };
}
