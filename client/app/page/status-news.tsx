import { useRef } from "preact/hooks";
import type { Replica } from "../../lib/replica.ts";
import { FINE, newsOfStatus } from "./trouble-words.ts";
import { useStatus } from "./use-status.ts";

/**
 * Says to screen readers when what is written is less safe than before, and when all is well again.
 * That it was sent and saved once more, as at each pause of typing, is no news.
 */
export function StatusNews({ replica }: { readonly replica: Replica }) {
  const told = useRef(FINE);
  told.current = newsOfStatus(told.current, useStatus(replica), {
    nowMs: Date.now(),
    locale: undefined,
  });
  return (
    <div class="visually-hidden" role="alert" data-part="status-news">
      {/* Preact writes an empty text anew each time. */}
      {told.current.text || undefined}
    </div>
  );
}
