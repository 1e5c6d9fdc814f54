import { todayIn } from "../core/calendar/calendar-days.ts";
import type { OutlineView } from "../core/outline-view.ts";
import { parseReference, type Reference } from "../core/reference.ts";

/** What a text means in an outline. @param now milliseconds since 1970 */
export function referenceIn(outline: OutlineView, text: string, now: () => number): Reference {
  const { timezone, weekStart } = outline.settings();
  return parseReference(text, {
    outline: outline.id,
    today: () => todayIn(timezone, now()),
    weekStart,
  });
}
