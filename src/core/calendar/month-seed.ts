import type * as Y from "yjs";
import * as encoding from "lib0/encoding";
import type { ItemId } from "../yjs/item-id.ts";
import {
  CALENDAR,
  daysInMonth,
  INBOX,
  dayKey,
  monthKey,
  systemNodeOf,
  yearKey,
  type NodeKey,
  type SystemNode,
} from "../node-key.ts";
import { dateLabel, dateMarkText } from "../text/dates.ts";

/**
 * Seeds: how the inbox and the calendar come to be without asking anybody.
 *
 * Two devices that create the same nested type each lose one side's typing. So the types of a month
 * and its days (of a year; of inbox and calendar) are created by an update that is byte-identical on
 * every replica, under a client id of their own: applying it twice changes nothing. A seeded node
 * has a name and no place yet; it appears when its `p` is set. The bytes are part of the format and
 * pinned by a golden test: never change them.
 */

/** Seeds write under client ids from here up to 2^28: out of the way of the ids that servers and devices take, four bytes each. */
export const FIRST_SEED_CLIENT = 2 ** 28 - 2 ** 18;
const LAST_SEED_CLIENT = 2 ** 28 - 1;
/** One client id for the year itself and twelve for its months. */
const CLIENTS_A_YEAR = 13;

const MONTH_NAMES = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

/** Whether a client id belongs to seeds, so that only a seed's own bytes may use it. */
export function isSeedClient(client: number): boolean {
  return client >= FIRST_SEED_CLIENT && client <= LAST_SEED_CLIENT;
}

/** What a seed says of a node. */
export interface SeededNode {
  readonly key: NodeKey;
  readonly name: string;
  /** The date that the name shows, as in the `d` format. */
  readonly date?: string;
}

/** The seed that creates a node's type: its client id and the nodes in it. */
interface Seed {
  readonly client: number;
  readonly nodes: readonly SeededNode[];
}

function seedWith(node: SystemNode): Seed | undefined {
  switch (node.kind) {
    case "root":
      return undefined;
    case "inbox":
    case "calendar":
      return {
        client: FIRST_SEED_CLIENT,
        nodes: [
          { key: INBOX, name: "Inbox" },
          { key: CALENDAR, name: "📆 Calendar" },
        ],
      };
    case "year":
      return {
        client: FIRST_SEED_CLIENT + node.year * CLIENTS_A_YEAR,
        nodes: [{ key: yearKey(node.year), name: String(node.year) }],
      };
    case "month":
    case "day":
      return monthSeed(node.year, node.month);
  }
}

function monthSeed(year: number, month: number): Seed {
  const nodes: SeededNode[] = [
    { key: monthKey(year, month), name: MONTH_NAMES[month - 1] ?? String(month) },
  ];
  for (let day = 1; day <= daysInMonth(year, month); day++) {
    const date = dateMarkText({ year, month, day });
    nodes.push({ key: dayKey(year, month, day), name: dateLabel(date), date });
  }
  return { client: FIRST_SEED_CLIENT + year * CLIENTS_A_YEAR + month, nodes };
}

/** The name that a reserved node has from its seed; undefined for keys that stand for no node. */
export function seededNode(key: NodeKey): SeededNode | undefined {
  const node = systemNodeOf(key);
  return node && seedWith(node)?.nodes.find((each) => each.key === key);
}

/** Inside a transaction. */
export function insertSeededName(text: Y.Text, { name, date }: SeededNode): void {
  text.insert(0, name, date === undefined ? {} : { d: date });
}

/* Kinds of structs and what they have, in an update of encoding V1; `yjs/src/structs/Item.js`. */
const TEXT = 4;
const FORMAT = 6;
const TYPE = 7;
const HAS_ORIGIN = 0x80;
const HAS_PARENT_SUB = 0x20;
const TEXT_TYPE = 2;

/**
 * The bytes that a document would be encoded to in which the nodes were made one after the other.
 * Written directly: making the document takes three times as long, and a short request can ask for a month.
 */
function encode({ client, nodes }: Seed): Uint8Array {
  return encoding.encode((encoder) => {
    const { length } = nodes.flatMap(({ date }) => (date === undefined ? [0, 0] : [0, 0, 0, 0]));
    for (const number of [1, length, client, 0]) encoding.writeVarUint(encoder, number);
    let clock = 0;
    for (const node of nodes) clock = writeNode(encoder, node, { client, clock });
    // Nothing is deleted.
    encoding.writeVarUint(encoder, 0);
  });
}

/** Writes a node's text from a clock on. @returns the clock behind it */
function writeNode(
  encoder: encoding.Encoder,
  { key, name, date }: SeededNode,
  { client, clock }: ItemId,
): number {
  encoding.writeUint8(encoder, TYPE | HAS_PARENT_SUB);
  encoding.writeVarUint(encoder, 1);
  encoding.writeVarString(encoder, "nodes");
  encoding.writeVarString(encoder, key);
  encoding.writeVarUint(encoder, TEXT_TYPE);
  const inside = { client, clock };
  if (date === undefined) {
    writeFirst(encoder, TEXT, inside);
    encoding.writeVarString(encoder, name);
    return clock + 1 + name.length;
  }
  writeFirst(encoder, FORMAT, inside);
  writeDateFormat(encoder, date);
  writeBehind(encoder, TEXT, { client, clock: clock + 1 });
  encoding.writeVarString(encoder, name);
  writeBehind(encoder, FORMAT, { client, clock: clock + 1 + name.length });
  writeDateFormat(encoder, null);
  return clock + 3 + name.length;
}

function writeFirst(encoder: encoding.Encoder, kind: number, type: ItemId): void {
  encoding.writeUint8(encoder, kind);
  encoding.writeVarUint(encoder, 0);
  writeId(encoder, type);
}

function writeBehind(encoder: encoding.Encoder, kind: number, origin: ItemId): void {
  encoding.writeUint8(encoder, kind | HAS_ORIGIN);
  writeId(encoder, origin);
}

function writeId(encoder: encoding.Encoder, { client, clock }: ItemId): void {
  encoding.writeVarUint(encoder, client);
  encoding.writeVarUint(encoder, clock);
}

function writeDateFormat(encoder: encoding.Encoder, value: string | null): void {
  encoding.writeVarString(encoder, "d");
  encoding.writeVarString(encoder, JSON.stringify(value));
}

/**
 * The Yjs update that creates the type of a reserved node, together with those it is seeded with (a
 * day with its month, the inbox with the calendar). Always the same bytes for the same node.
 * Undefined for keys that stand for no node.
 */
export function seedFor(key: NodeKey): Uint8Array | undefined {
  const node = systemNodeOf(key);
  const seed = node === undefined ? undefined : seedWith(node);
  return seed === undefined ? undefined : encode(seed);
}

/** The client id of the seed that creates a reserved node; undefined for keys that have none. */
export function seedClientOf(key: NodeKey): number | undefined {
  const node = systemNodeOf(key);
  return node === undefined ? undefined : seedWith(node)?.client;
}

/** The seed that writes under a client id, for comparing what a client sends with it. */
export function seedOfClient(client: number): Uint8Array | undefined {
  if (!isSeedClient(client)) return undefined;
  const number = client - FIRST_SEED_CLIENT;
  const year = Math.floor(number / CLIENTS_A_YEAR);
  const month = number % CLIENTS_A_YEAR;
  if (number === 0) return seedFor(INBOX);
  if (year < 1000 || year > 9999) return undefined;
  return seedFor(month === 0 ? yearKey(year) : monthKey(year, month));
}
