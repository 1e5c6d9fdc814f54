import { isTimezone } from "../../../src/core/calendar/calendar.ts";
import { metaOf } from "../../../src/core/schema.ts";
import type { Replica } from "../../lib/replica.ts";
import type { Notices } from "../page/notices.ts";

/**
 * Takes over the time zone of this device once the server has said that it has everything, where
 * nobody ever set one: an outline that began with an import or a program would have its days in UTC.
 * When that makes a difference it is said.
 */
export function adoptTimezone(
  {
    replica,
    notices,
  }: {
    readonly replica: Pick<Replica, "outline" | "status" | "onStatus">;
    readonly notices: Pick<Notices, "show">;
  },
  timezone: string,
): void {
  const stop = replica.onStatus(look);
  look();

  function look(): void {
    if (replica.status.kind !== "saved") return;
    stop();
    const { outline } = replica;
    if (!isTimezone(timezone) || metaOf(outline.doc).has("timezone")) return;
    const isOther = outline.settings().timezone !== timezone;
    outline.configure({ timezone });
    if (!isOther) return;
    notices.show(`Days begin at midnight in ${timezone} now. The settings can change that.`);
  }
}
