/**
 * Keys and ids of nodes.
 *
 * A node's key is 12 lower-case hexadecimal digits and is at the same time its short id. The full id
 * is a version-8 UUID: 12 digits made of the outline's and of the key, so that programs which show
 * or compare only the first digits tell nodes apart; 8 more digits of the outline; the key.
 * Keys that start with `0000` are reserved and say what they are, so every replica makes the same
 * calendar node without asking.
 */

/** 12 lower-case hexadecimal digits, unique within an outline. */
export type NodeKey = string & { readonly brand: "NodeKey" };

/** 20 lower-case hexadecimal digits, from which the full ids in the outline are made. */
export type OutlineId = string & { readonly brand: "OutlineId" };

/** `8-4-4-4-12` lower-case hexadecimal digits: made of the outline's id, ending with the key. */
export type NodeId = string & { readonly brand: "NodeId" };

/** Numbers in [0, 1); injected, so that tests are repeatable. */
export type Random = () => number;

/** The top level. It is a place and no node: it has no text and can't be changed. */
export const ROOT = "000000000000" as NodeKey;
export const INBOX = "000000000001" as NodeKey;
export const CALENDAR = "000000000002" as NodeKey;

/** What a reserved key stands for. Months and days count from 1. */
export type SystemNode =
  | { readonly kind: "root" }
  | { readonly kind: "inbox" }
  | { readonly kind: "calendar" }
  | { readonly kind: "year"; readonly year: number }
  | { readonly kind: "month"; readonly year: number; readonly month: number }
  | { readonly kind: "day"; readonly year: number; readonly month: number; readonly day: number };

const RESERVED_PREFIX = "0000";
const KEY_PATTERN = /^[0-9a-f]{12}$/;
const OUTLINE_PATTERN = /^[0-9a-f]{12}8[0-9a-f]{3}[89ab][0-9a-f]{3}$/;

export function isNodeKey(text: string): text is NodeKey {
  return KEY_PATTERN.test(text);
}

export function isOutlineId(text: string): text is OutlineId {
  return OUTLINE_PATTERN.test(text);
}

/** True for the root, the inbox and every calendar node, whether or not such a date exists. */
export function isReservedKey(key: NodeKey): boolean {
  return key.startsWith(RESERVED_PREFIX);
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, "0");
}

/** @param year 1000 to 9999 */
export function yearKey(year: number): NodeKey {
  return `${RESERVED_PREFIX}${digits(year, 4)}0000` as NodeKey;
}

export function monthKey(year: number, month: number): NodeKey {
  return `${RESERVED_PREFIX}${digits(year, 4)}${digits(month, 2)}00` as NodeKey;
}

export function dayKey(year: number, month: number, day: number): NodeKey {
  return `${RESERVED_PREFIX}${digits(year, 4)}${digits(month, 2)}${digits(day, 2)}` as NodeKey;
}

/** Days in a month of the proleptic Gregorian calendar; `month` counts from 1. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) {
    const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
    return isLeapYear ? 29 : 28;
  }
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** What a reserved key means; undefined for ordinary keys and for dates that do not exist. */
export function systemNodeOf(key: NodeKey): SystemNode | undefined {
  if (!key.startsWith(RESERVED_PREFIX)) return undefined;
  if (key === ROOT) return { kind: "root" };
  if (key === INBOX) return { kind: "inbox" };
  if (key === CALENDAR) return { kind: "calendar" };
  if (!/^[0-9]{12}$/.test(key)) return undefined;
  const year = Number(key.slice(4, 8));
  const month = Number(key.slice(8, 10));
  const day = Number(key.slice(10, 12));
  if (year < 1000) return undefined;
  if (month === 0) return day === 0 ? { kind: "year", year } : undefined;
  if (month > 12 || day > daysInMonth(year, month)) return undefined;
  return day === 0 ? { kind: "month", year, month } : { kind: "day", year, month, day };
}

/** The reserved node that a reserved node is made in: day, month, year, calendar, top level. */
export function systemParentOf(node: SystemNode): NodeKey {
  switch (node.kind) {
    case "day":
      return monthKey(node.year, node.month);
    case "month":
      return yearKey(node.year);
    case "year":
      return CALENDAR;
    case "calendar":
    case "inbox":
    case "root":
      return ROOT;
  }
}

const HALF_DIGITS = 6;
/** Odd and without a pattern, so that a product's upper bits depend on all bits of the factor. */
const SPREAD = 0x9e3779b1;
const ROUNDS = 4;

/**
 * The full id of a node. In one outline no two ids have the same first 12 digits: these are the key
 * after a Feistel network, which gives each key another result, XOR the outline's first 12.
 */
export function nodeIdOf(outline: OutlineId, key: NodeKey): NodeId {
  let left = halfOf(key, 0);
  let right = halfOf(key, 1);
  for (let round = 0; round < ROUNDS; round++) {
    const mixed = left ^ (Math.imul(right, SPREAD) >>> 8);
    left = right;
    right = mixed;
  }
  const first = hexOf(left ^ halfOf(outline, 0)) + hexOf(right ^ halfOf(outline, 1));
  const parts = [first.slice(0, 8), first.slice(8), outline.slice(12, 16), outline.slice(16), key];
  return parts.join("-") as NodeId;
}

/** 24 bits of the first 48 of an id or a key. */
function halfOf(digitsOfId: string, half: 0 | 1): number {
  return Number.parseInt(digitsOfId.slice(half * HALF_DIGITS, (half + 1) * HALF_DIGITS), 16);
}

function hexOf(half: number): string {
  return half.toString(16).padStart(HALF_DIGITS, "0");
}

/** The key in a full id without dashes, of this outline; earlier versions put its 20 digits before the key. */
export function keyInId(digitsOfId: string, outline: OutlineId): NodeKey | undefined {
  const key = digitsOfId.slice(outline.length);
  if (!isNodeKey(key)) return undefined;
  const isOurs =
    digitsOfId.startsWith(outline) || digitsOfId === nodeIdOf(outline, key).replaceAll("-", "");
  return isOurs ? key : undefined;
}

function randomDigits(length: number, random: Random): string {
  let text = "";
  while (text.length < length) text += Math.floor(random() * 16).toString(16);
  return text;
}

/** A fresh key outside the reserved range: 48 random bits. The caller rules out a collision. */
export function newNodeKey(random: Random): NodeKey {
  for (;;) {
    const key = randomDigits(12, random) as NodeKey;
    if (!isReservedKey(key)) return key;
  }
}

/** A fresh outline id, shaped so that full ids are version-8 UUIDs of the RFC 9562 variant. */
export function newOutlineId(random: Random): OutlineId {
  const variant = "89ab".charAt(Math.floor(random() * 4));
  return `${randomDigits(12, random)}8${randomDigits(3, random)}${variant}${randomDigits(3, random)}` as OutlineId;
}
