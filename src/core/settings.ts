import type * as Y from "yjs";
import { isTimezone, type WeekStart } from "./calendar/calendar.ts";
import { OK, type Done, type Refusal } from "./refusal.ts";
import { encodeTimed, parseTimed, timeAfter } from "./node/timed-value.ts";

/** What a user has set for an outline, the same on all devices. */
export interface Settings {
  /** IANA name. */
  readonly timezone: string;
  /** 0 is Sunday. */
  readonly weekStart: WeekStart;
}

const DEFAULT_SETTINGS: Settings = { timezone: "UTC", weekStart: 1 };

function isWeekStart(value: unknown): value is WeekStart {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 6;
}

/** The names of the settings, in the root `meta`. */
export const SETTING_NAMES: readonly (keyof Settings)[] = ["timezone", "weekStart"];

/** Anything in the document that is no setting counts as the default. */
export function readSettings(meta: Y.Map<unknown>): Settings {
  const { value: timezone } = readSetting(meta, "timezone");
  const weekStart = Number(readSetting(meta, "weekStart").value || Number.NaN);
  return {
    timezone: isTimezone(timezone) ? timezone : DEFAULT_SETTINGS.timezone,
    weekStart: isWeekStart(weekStart) ? weekStart : DEFAULT_SETTINGS.weekStart,
  };
}

/** With its time (timed-value.ts); before the second schema `weekStart` was a number, without. */
function readSetting(
  meta: Y.Map<unknown>,
  name: keyof Settings,
): { readonly value: string; readonly at: number } {
  const stored = meta.get(name);
  if (typeof stored === "number") return { value: String(stored), at: 0 };
  return typeof stored === "string" ? parseTimed(stored) : { value: "", at: 0 };
}

/** Whether a change of settings can be made: `ok`, or `invalid_setting`. */
export function checkSettings(patch: Partial<Settings>): Done | Refusal {
  const { timezone, weekStart } = patch;
  if (timezone !== undefined && !isTimezone(timezone)) {
    return { kind: "invalid_setting", reason: "timezone must be an IANA time zone name" };
  }
  if (weekStart !== undefined && !isWeekStart(weekStart)) {
    return { kind: "invalid_setting", reason: "weekStart must be 0 (Sunday) to 6" };
  }
  return OK;
}

/** Writes what differs, and a default that is chosen for the first time. Inside a transaction. */
export function writeSettings(meta: Y.Map<unknown>, patch: Partial<Settings>, nowMs: number): void {
  const current = readSettings(meta);
  for (const name of SETTING_NAMES) {
    const wanted = patch[name];
    if (wanted === undefined || (wanted === current[name] && meta.has(name))) continue;
    const at = timeAfter(readSetting(meta, name).at, nowMs);
    meta.set(name, encodeTimed({ value: String(wanted), at }));
  }
}
