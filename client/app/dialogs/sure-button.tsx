import { useState } from "preact/hooks";

/**
 * A button for what can't be undone: it asks first, until it is left. A double click, or a key that is held,
 * is no answer.
 */
export function SureButton({
  label,
  sureLabel,
  name = "",
  tone = "quiet",
  warning,
  act,
}: {
  readonly label: string;
  readonly sureLabel: string;
  /** What it is about, for screen readers. */
  readonly name?: string;
  readonly tone?: "quiet" | "danger";
  /** Said beside it while it asks. */
  readonly warning?: string;
  readonly act: () => void;
}) {
  const [isAsked, setIsAsked] = useState(false);
  const shown = isAsked ? sureLabel : label;
  return (
    <>
      {isAsked && warning !== undefined && <p role="alert">{warning}</p>}
      <button
        type="button"
        class="button"
        data-tone={isAsked ? "danger" : tone}
        aria-label={`${shown} ${name}`.trim()}
        onBlur={() => setIsAsked(false)}
        onKeyDown={(event) => {
          if (event.repeat) event.preventDefault();
        }}
        onClick={({ detail }) => {
          if (detail > 1) return;
          setIsAsked(!isAsked);
          if (isAsked) act();
        }}
      >
        {shown}
      </button>
    </>
  );
}
