import { useId, useRef, useState } from "preact/hooks";
import { INBOX } from "../../../src/core/node-key.ts";
import { isDone } from "../commands/outcome.ts";
import { forgetDraft, keepDraft, readDraft } from "../page/capture-draft.ts";
import { browserPageStorage } from "../page/page-storage.ts";
import { isComposing } from "../state/is-composing.ts";
import { isTouch } from "../state/is-touch.ts";
import { Dialog } from "./dialog.tsx";
import type { DialogProps } from "./dialog-props.ts";

const storage = browserPageStorage();

/** Puts a thought into the inbox without leaving what one is at. */
export function CaptureDialog({ workspace, close }: DialogProps<"capture">) {
  const { replica, notices, rows } = workspace;
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [draft] = useState(() => readDraft(storage, replica.outline));

  function save(): void {
    const { edits, outline } = replica;
    const [name = "", ...note] = (field.current?.value ?? "").trim().split("\n");
    if (name.trim() === "") return;
    // Another tab may have captured what was left for both.
    const key = outline.isTaken(draft.key) ? outline.freeKey() : draft.key;
    const thought = { parent: INBOX, position: "top", name, note: note.join("\n").trim() } as const;
    // What was refused stays in the field.
    if (!isDone(workspace, edits.create(thought, key))) return;
    // Not before: the page may end.
    void replica.stored().then(
      () => forgetDraft(storage, draft.key),
      () => {},
    );
    close();
    notices.show("Captured into the inbox", { label: "Show", run: () => rows.zoomTo(INBOX) });
  }

  return (
    <Dialog label="Capture into the inbox" size="small" onSubmit={save} close={close}>
      <div class="field">
        <label for={id} class="visually-hidden">
          What is on your mind?
        </label>
        <textarea
          ref={field}
          id={id}
          class="input capture"
          rows={3}
          placeholder="What is on your mind?"
          aria-describedby={`${id}-hint`}
          autofocus
          defaultValue={draft.text}
          onInput={({ currentTarget: { value: text } }) =>
            keepDraft(storage, replica.outline, { ...draft, text })
          }
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
            // A keyboard on the screen has no Shift+Enter.
            if (isTouch()) return;
            event.preventDefault();
            save();
          }}
        />
        <p id={`${id}-hint`} class="hint">
          {isTouch()
            ? "Lines after the first become its note."
            : "Enter saves. Lines after the first (Shift+Enter) become its note."}
        </p>
      </div>
      <footer class="dialog-foot">
        <button type="submit" class="button" data-tone="main">
          Capture
        </button>
      </footer>
    </Dialog>
  );
}
