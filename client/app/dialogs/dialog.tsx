import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../page/icon.tsx";
import "./dialogs.css";

/** A modal window over the page: the browser keeps the focus in it and gives it back. */
export function Dialog({
  label,
  size = "medium",
  hasHeading = true,
  isToRead = false,
  onSubmit,
  close,
  children,
}: {
  readonly label: string;
  readonly size?: "small" | "medium" | "large";
  /** Without one, the label is for screen readers only. */
  readonly hasHeading?: boolean;
  /** Nothing in it takes the focus, so it takes it itself, to be scrolled by keys. */
  readonly isToRead?: boolean;
  /** What is in it is a form then. */
  readonly onSubmit?: () => void;
  readonly close: () => void;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);

  return (
    <dialog
      ref={element}
      class="dialog"
      data-size={size}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => {
        if (event.target === element.current) close();
      }}
    >
      <div class="dialog-box">
        {hasHeading && (
          <header class="dialog-head">
            <h2 id={id}>{label}</h2>
            <button type="button" class="icon-button" aria-label="Close" onClick={close}>
              <Icon name="close" />
            </button>
          </header>
        )}
        <div class="dialog-body" tabIndex={isToRead ? 0 : undefined} autofocus={isToRead}>
          {onSubmit === undefined ? (
            children
          ) : (
            <form
              class="dialog-form"
              onSubmit={(event) => {
                event.preventDefault();
                onSubmit();
              }}
            >
              {children}
            </form>
          )}
        </div>
      </div>
    </dialog>
  );
}
