import { todayIn } from "../../../src/core/calendar/calendar-days.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { metaOf } from "../../../src/core/schema.ts";
import type { CalendarDate } from "../../../src/core/text/dates.ts";
import type { Replica } from "../../lib/replica.ts";
import { followOutline } from "./follow-outline.ts";
import { listen } from "./listen.ts";

const QUARTER_MS = 15 * 60 * 1000;
/** Midnight is at a quarter of an hour everywhere, and within a day. */
const MOST_QUARTERS = 25 * 4;

/** Which day it is where the user is. */
export function todayOf({ outline }: Pick<Replica, "outline">): CalendarDate {
  return todayIn(outline.settings().timezone, outline.now());
}

/**
 * Tells when another day has begun. A timer stands still while a device sleeps and a tab is frozen, so
 * it is looked as well when somebody comes back, and when it stands otherwise with the server, as it
 * does behind every sleep. It is told of another time zone, too. Answers how to stop.
 */
export function followDay(
  replica: Pick<Replica, "outline" | "onStatus" | "onReplaced">,
  onDay: () => void,
): () => void {
  let lookedAt = 0;
  let endsAt = 0;
  let zone = "";
  let timer = 0;
  const look = (): void => {
    const now = replica.outline.now();
    const { timezone } = replica.outline.settings();
    if (timezone === zone && lookedAt <= now && now < endsAt) return;
    const isFirst = endsAt === 0;
    zone = timezone;
    lookedAt = now;
    endsAt = now + untilTomorrow(replica);
    clearTimeout(timer);
    timer = setTimeout(look, endsAt - now);
    if (!isFirst) onDay();
  };
  const followZone = ({ doc }: Outline): (() => void) => {
    const settings = metaOf(doc);
    settings.observe(look);
    return () => settings.unobserve(look);
  };
  const stops = [
    listen(document, { visibilitychange: look }),
    listen(window, { focus: look }),
    replica.onStatus(look),
    followOutline(replica, followZone, look),
    () => clearTimeout(timer),
  ];
  look();
  return () => stops.forEach((stop) => stop());
}

function untilTomorrow({ outline }: Pick<Replica, "outline">): number {
  const { timezone } = outline.settings();
  const nowMs = outline.now();
  const { day } = todayIn(timezone, nowMs);
  let at = Math.ceil((nowMs + 1) / QUARTER_MS) * QUARTER_MS;
  for (let count = 0; count < MOST_QUARTERS && todayIn(timezone, at).day === day; count++) {
    at += QUARTER_MS;
  }
  return at - nowMs;
}
