import type * as Y from "yjs";
import { isTimezone, type WeekStart } from "./calendar.ts";
import { OK, type Done, type Refusal } from "./refusal.ts";

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

/** Anything in the document that is no setting counts as the default. */
export function readSettings(meta: Y.Map<unknown>): Settings {
  const timezone = meta.get("timezone");
  const weekStart = meta.get("weekStart");
  return {
    timezone:
      typeof timezone === "string" && isTimezone(timezone) ? timezone : DEFAULT_SETTINGS.timezone,
    weekStart: isWeekStart(weekStart) ? weekStart : DEFAULT_SETTINGS.weekStart,
  };
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

/** Writes what differs. Inside a transaction. */
export function writeSettings(meta: Y.Map<unknown>, patch: Partial<Settings>): void {
  const current = readSettings(meta);
  const { timezone, weekStart } = patch;
  if (timezone !== undefined && timezone !== current.timezone) meta.set("timezone", timezone);
  if (weekStart !== undefined && weekStart !== current.weekStart) meta.set("weekStart", weekStart);
}
