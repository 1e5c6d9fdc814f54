import type { DateMark } from "../../../src/core/text/dates.ts";

const NAMED: ReadonlyMap<string, { readonly hour: number; readonly minute: number }> = new Map([
  ["noon", { hour: 12, minute: 0 }],
  ["midnight", { hour: 0, minute: 0 }],
]);

/** A colon, a half of the day, or `at` before it: a number alone is no time. */
const CLOCK = /(?:^| )(at )?(\d{1,2})(?:[:.](\d\d))? ?(am|pm|a\.m\.|p\.m\.)?$/;

export interface TimeInWords {
  /** What is left when the time is taken away. */
  readonly words: string;
  readonly time: DateMark["time"];
}

/** Takes a time of the day from the end of a text: `5pm`, `at 5`, `17:00`, `noon`. */
export function timeInWords(text: string): TimeInWords {
  const [, before = "", name = ""] = /^(.*?)(?:^| )(?:at )?(noon|midnight)$/.exec(text) ?? [];
  const named = NAMED.get(name);
  if (named !== undefined) return { words: before, time: named };

  const match = CLOCK.exec(text);
  if (match === null) return { words: text, time: undefined };
  const [whole, at, hours, minutes, half] = match;
  const isTime =
    at !== undefined || half !== undefined || (minutes !== undefined && whole.includes(":"));
  const hour = hourOf(Number(hours), half);
  const minute = Number(minutes ?? 0);
  if (!isTime || hour === undefined || minute > 59) return { words: text, time: undefined };
  return { words: text.slice(0, match.index), time: { hour, minute } };
}

function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour < 24 ? hour : undefined;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.startsWith("p") ? 12 : 0);
}
