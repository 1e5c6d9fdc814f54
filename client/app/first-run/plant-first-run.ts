import { isTimezone } from "../../../src/core/calendar/calendar.ts";
import { ROOT } from "../../../src/core/node-key.ts";
import type { Replica } from "../../lib/replica.ts";
import { type FirstRunKeys, firstRunOutline } from "./first-run-outline.ts";
import { isEmpty } from "../../../src/core/yjs/struct-store.ts";

/**
 * Plants the first-run outline when the server has said that this outline was never written to. An
 * outline that somebody emptied has a past, and stays empty.
 */
export function plantFirstRun(
  replica: Pick<Replica, "outline" | "edits" | "history" | "seq" | "status" | "onStatus">,
  keys: FirstRunKeys | undefined,
  timezone: string,
  onPlanted: () => void,
): void {
  const stop = replica.onStatus(look);
  look();

  function look(): void {
    if (replica.status.kind !== "saved") return;
    stop();
    const { outline, seq } = replica;
    if (seq > 0 || !isEmpty(outline.doc)) return;
    if (isTimezone(timezone)) outline.configure({ timezone });
    const planted = replica.edits.insert(firstRunOutline(keys), { parent: ROOT, position: "top" });
    // Who takes back their first letters doesn't take back this.
    replica.history.forget();
    if (planted.kind === "created") onPlanted();
  }
}
