import type { ReplicaMeta } from "../store/replica-meta.ts";
import { StoreError } from "../store/replica-store.ts";
import type { KeyRange } from "./level-database.ts";

/** Grows when what is stored gets another form. */
const LAYOUT = 1;

/** How many digits hold every number that can be counted exactly. */
const NUMBER_DIGITS = 16;

export const META_KEY = "meta";

/** Where numbered updates lie. */
export type ReplicaPart = "state" | "tail" | "outbox";

/** State and tail: what makes up the replica, in the order in which it applies. */
export const UPDATES: KeyRange = { from: "state/", to: "tail0" };
export const OUTBOX: KeyRange = { from: "outbox/", to: "outbox0" };

/** Keys sort like the numbers. */
export function numberedKey(part: ReplicaPart, number: number): string {
  return `${part}/${String(number).padStart(NUMBER_DIGITS, "0")}`;
}

export function numberOf(key: string): number {
  return Number(key.slice(-NUMBER_DIGITS));
}

export function recordKey(name: string): string {
  return `record/${name}`;
}

export function encodeText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

export function encodeMeta(meta: ReplicaMeta): Uint8Array {
  return encodeText(JSON.stringify({ layout: LAYOUT, ...meta }));
}

/** @throws StoreError `newer` for what a newer version wrote */
export function decodeMeta(bytes: Uint8Array): ReplicaMeta {
  // Written by `encodeMeta`, unless the layout says something else.
  const { layout, ...meta } = JSON.parse(decodeText(bytes)) as ReplicaMeta & {
    readonly layout: number;
  };
  if (layout > LAYOUT) throw new StoreError("newer", "a newer version has written this store");
  return meta;
}
