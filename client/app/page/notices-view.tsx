import { useEffect } from "preact/hooks";
import { listen } from "../state/listen.ts";
import { useSource } from "../state/use-source.ts";
import { Icon } from "./icon.tsx";
import type { NoticeBoard } from "./notice-board.ts";

/** The notices at the lower edge, and the live region for screen readers. */
export function NoticesView({ board }: { readonly board: NoticeBoard }) {
  const notices = useSource(board.shown);
  const spoken = useSource(board.spoken);
  useEffect(() => listen(document, { input: () => board.typed() }), [board]);
  return (
    <>
      <div class="notices">
        {notices.map(({ id, text, tone, action }) => (
          <div key={id} class="notice" data-part="notice" data-tone={tone}>
            <span class="notice-text">{text}</span>
            {action !== undefined && (
              <button
                type="button"
                class="notice-action"
                onClick={() => {
                  board.dismiss(id);
                  action.run();
                }}
              >
                {action.label}
              </button>
            )}
            <button
              type="button"
              class="icon-button"
              aria-label="Dismiss"
              onClick={() => board.dismiss(id)}
            >
              <Icon name="close" />
            </button>
          </div>
        ))}
      </div>
      <div class="visually-hidden" data-part="announcer" aria-live="polite" aria-atomic="true">
        {/* Another element, so that the same sentence is read again. */}
        <span key={spoken.count}>{spoken.text}</span>
      </div>
    </>
  );
}
