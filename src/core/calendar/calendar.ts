import { systemNodeOf, type NodeKey } from "../node-key.ts";
import { encodeOrderInt } from "../tree/order-key.ts";

/** The first day of a week, as in the settings: 0 is Sunday. */
export type WeekStart = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/**
 * The fixed order key of a year, month or day among its siblings: years newest first, the others in
 * date order. Undefined for every other node: those are placed like any node.
 */
export function systemOrder(key: NodeKey): string | undefined {
  const node = systemNodeOf(key);
  switch (node?.kind) {
    case "year":
      return encodeOrderInt(-node.year);
    case "month":
      return encodeOrderInt(node.month);
    case "day":
      return encodeOrderInt(node.day);
    default:
      return undefined;
  }
}

/** What was asked for last: a platform takes up to a millisecond to answer, and a page asks with each key. */
let last = { name: "", isKnown: false };

/** Whether the platform knows a time zone by this name. */
export function isTimezone(name: string): boolean {
  if (name !== last.name) last = { name, isKnown: knowsTimezone(name) };
  return last.isKnown;
}

function knowsTimezone(name: string): boolean {
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/**
 * The name of a time zone with the letters that it has: some programs find it by these alone. Where the
 * platform calls the zone otherwise, it stays as it was written.
 */
export function timezoneAsNamed(name: string): string {
  const { timeZone } = Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
  return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
}
