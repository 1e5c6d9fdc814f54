import { useEffect, useId, useState } from "preact/hooks";
import type { Replica } from "../../lib/replica.ts";
import { late } from "../state/late.tsx";
import { listen } from "../state/listen.ts";
import { useStatus } from "./use-status.ts";
import { wordsOfStatus } from "./status-words.ts";

/** Without it the words above stand alone. */
const StatusDetail = late(
  async () => (await import("./status-detail.tsx")).StatusDetail,
  () => {},
);

/** What is safe, in words; what that means opens below it. */
export function StatusLine({ replica }: { readonly replica: Replica }) {
  const status = useStatus(replica);
  const id = useId();
  const words = wordsOfStatus(status, { nowMs: useTimeWhenSeen(), locale: undefined });
  // While all is well a dot says so; words come when something is not.
  const isDot = status.kind === "saved" || status.kind === "saving";
  return (
    <div class="status">
      <div
        data-part="status"
        data-state={status.kind}
        data-unsent={status.kind !== "saved" && status.unsent > 0}
        data-overdue={words.isOverdue}
      >
        <button type="button" class="status-button" popovertarget={id}>
          <span class="status-dot" aria-hidden="true" />
          <span class={isDot ? "status-text visually-hidden" : "status-text"}>{words.text}</span>
        </button>
      </div>
      <div id={id} popover="auto" class="popover status-detail">
        <p>
          <strong>{words.text}.</strong> <StatusDetail status={status} />
        </p>
        {status.kind === "local" && (
          <button type="button" class="button" onClick={() => replica.connect()}>
            Try now
          </button>
        )}
      </div>
    </div>
  );
}

/** The time when the page was last looked at again: old edits are noticed without a timer. */
function useTimeWhenSeen(): number {
  const [, setSeenAt] = useState(0);
  useEffect(() => listen(document, { visibilitychange: () => setSeenAt(Date.now()) }), []);
  return Date.now();
}
