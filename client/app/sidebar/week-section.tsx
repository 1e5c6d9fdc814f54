import { useEffect } from "preact/hooks";
import { keyOfDate } from "../../../src/core/calendar/calendar-days.ts";
import type { WeekStart } from "../../../src/core/calendar/calendar.ts";
import type { CalendarDate } from "../../../src/core/text/dates.ts";
import { written } from "../outline/aids/date-said.ts";
import { openDay } from "../page/open-day.ts";
import { useOutlineMaps } from "../page/use-outline-maps.ts";
import { useRenew } from "../state/use-renew.ts";
import { followDay, todayOf } from "../state/follow-day.ts";
import { useSource } from "../state/use-source.ts";
import type { Workspace } from "../state/workspace.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS = 7;

/** The days of this week: each leads to its page, and says whether something is written there. */
export function WeekSection({
  workspace,
  onLeave,
}: {
  readonly workspace: Workspace;
  readonly onLeave: () => void;
}) {
  const { replica, rows } = workspace;
  const { outline } = replica;
  const { weekStart } = outline.settings();
  const today = todayOf(replica);
  const days = weekOf(today, weekStart).map((day) => ({ day, key: keyOfDate(day) }));
  useOutlineMaps(replica, ["meta"], ({ nodes }) => days.some(({ key }) => nodes.has(key)));
  const renew = useRenew();
  useEffect(() => followDay(replica, renew), [replica, renew]);
  const zoom = useSource(rows.zoom);
  return (
    <ul role="list" class="week" aria-label="This week">
      {days.map(({ day, key }) => {
        const isToday = key === keyOfDate(today);
        const isWritten = outline.has(key) && outline.childCount(key) > 0;
        return (
          <li key={key}>
            <button
              type="button"
              class="week-day"
              data-today={isToday}
              data-written={isWritten}
              aria-current={key === zoom ? "page" : isToday ? "date" : undefined}
              onClick={() => {
                onLeave();
                openDay(workspace, key);
              }}
            >
              <span class="visually-hidden">
                {written(day, { weekday: "long", month: "long", day: "numeric" })}
                {isWritten && ", written on"}
              </span>
              <span class="week-name" aria-hidden="true">
                {written(day, { weekday: "narrow" })}
              </span>
              <span aria-hidden="true">{day.day}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** The seven days of a week that a day is in. */
export function weekOf(day: CalendarDate, weekStart: WeekStart): readonly CalendarDate[] {
  const at = Date.UTC(day.year, day.month - 1, day.day);
  const first = at - ((new Date(at).getUTCDay() - weekStart + DAYS) % DAYS) * DAY_MS;
  return Array.from({ length: DAYS }, (_, index) => {
    const date = new Date(first + index * DAY_MS);
    return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
  });
}
