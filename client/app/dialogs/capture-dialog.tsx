import { useId, useRef } from "preact/hooks";
import { INBOX } from "../../../src/core/node-key.ts";
import { isDone } from "../commands/outcome.ts";
import { isTouch } from "../state/is-touch.ts";
import type { Workspace } from "../state/workspace.ts";
import { Dialog } from "./dialog.tsx";
import type { DialogProps } from "./dialog-props.ts";

/** What was typed and not captured, for the next time. */
const drafts = new WeakMap<Workspace, string>();

/** Puts a thought into the inbox without leaving what one is at. */
export function CaptureDialog({ workspace, close }: DialogProps<"capture">) {
  const { replica, notices, rows } = workspace;
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);

  function save(): void {
    const [name = "", ...note] = (field.current?.value ?? "").trim().split("\n");
    if (name.trim() === "") return;
    const outcome = replica.edits.create({
      parent: INBOX,
      position: "top",
      name,
      note: note.join("\n").trim(),
    });
    // What was refused stays in the field.
    if (!isDone(workspace, outcome)) return;
    drafts.delete(workspace);
    close();
    notices.show({
      text: "Captured into the inbox",
      tone: "plain",
      action: { label: "Show", run: () => rows.zoomTo(INBOX) },
    });
  }

  return (
    <Dialog label="Capture into the inbox" size="small" close={close}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
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
            defaultValue={drafts.get(workspace) ?? ""}
            onInput={(event) => drafts.set(workspace, event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
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
      </form>
    </Dialog>
  );
}
