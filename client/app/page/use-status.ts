import type { Replica } from "../../lib/replica.ts";
import type { Status } from "../../lib/status.ts";
import { useRead } from "../state/use-read.ts";

/** That all is saved is told when it has been so for this long: not between two letters. */
const SAVED_FOR_MS = 100;

/**
 * The replica's status; the component renders anew when that differs in more than how many edits are
 * unsent, which nobody is told: it does with each key.
 */
export function useStatus(replica: Replica): Status {
  useRead(
    () => shownOf(replica.status),
    (look) => followStatus(replica, look),
    [replica],
  );
  return replica.status;
}

/** Tells the status, each worse one at once and that all is saved a moment later. Answers how to stop. */
export function followStatus(
  replica: Pick<Replica, "status" | "onStatus">,
  show: (status: Status) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const showNow = (): void => show(replica.status);
  const stop = replica.onStatus(({ kind }) => {
    clearTimeout(timer);
    if (kind === "saved") timer = setTimeout(showNow, SAVED_FOR_MS);
    else showNow();
  });
  // It may have changed before somebody followed it.
  showNow();
  return () => {
    clearTimeout(timer);
    stop();
  };
}

function shownOf(status: Status): string {
  return JSON.stringify({ ...status, unsent: status.kind !== "saved" && status.unsent > 0 });
}
