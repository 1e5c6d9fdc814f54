import { useEffect, useState } from "preact/hooks";
import type { Replica } from "../../lib/replica.ts";
import type { Status } from "../../lib/status.ts";

/**
 * The replica's status; the component renders anew when that differs in more than how many edits are
 * unsent, which nobody is told: it does with each key.
 */
export function useStatus(replica: Replica): Status {
  const [, setShown] = useState(() => shownOf(replica.status));
  useEffect(() => {
    const look = (): void => setShown(shownOf(replica.status));
    // It may have changed between this render and now.
    look();
    return replica.onStatus(look);
  }, [replica]);
  return replica.status;
}

function shownOf(status: Status): string {
  return JSON.stringify({ ...status, unsent: status.kind !== "saved" && status.unsent > 0 });
}
