import { useId, useState } from "preact/hooks";
import { todayIn } from "../../../src/core/calendar.ts";
import { dateLabel, dateMarkText, parseDateMark } from "../../../src/core/text/dates.ts";
import { plainText } from "../../../src/core/text/rich-text.ts";
import { readRichText } from "../../../src/core/text/y-text.ts";
import { dateInWords } from "../../lib/search/date-in-words.ts";
import { Dialog } from "./dialog.tsx";
import type { DialogProps } from "./dialog-props.ts";

/** A date in a text: said in words, or picked. */
export function DateDialog({ workspace, request, close }: DialogProps<"date">) {
  const { outline, edits, history } = workspace.replica;
  const id = useId();
  const { timezone, weekStart } = outline.settings();
  const [words, setWords] = useState("");
  const [picked, setPicked] = useState(dateMarkText(todayIn(timezone, outline.now())));
  const [time, setTime] = useState("");
  const said =
    words.trim() === ""
      ? undefined
      : dateInWords(words, todayIn(timezone, outline.now()), weekStart);
  const mark = said ?? parseDateMark(time === "" ? picked : `${picked} ${time}`);
  const isUnclear = words.trim() !== "" && said === undefined;

  function insert(): void {
    if (mark === undefined || isUnclear) return;
    const value = dateMarkText(mark);
    const { key, part, from, to } = request;
    const shown = edits.text(key, part);
    const before = shown === undefined ? "" : plainText(readRichText(shown)).charAt(from - 1);
    const gap = from > 0 && /\S/.test(before) ? " " : "";
    const at = from + gap.length;
    history.step(() => {
      edits.type(key, part, { at: from, remove: to - from, insert: gap });
      edits.type(key, part, { at, remove: 0, insert: dateLabel(value), formats: { d: value } });
    });
    close(true);
    workspace.focus.caret(key, at + dateLabel(value).length, part);
  }

  return (
    <Dialog label="Date" size="small" close={close}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          insert();
        }}
      >
        <div class="field">
          <label for={id}>In words</label>
          <input
            id={id}
            class="input"
            type="text"
            autocomplete="off"
            spellcheck={false}
            placeholder="friday, tomorrow 5pm, aug 3"
            autofocus
            value={words}
            aria-invalid={isUnclear}
            aria-describedby={`${id}-outcome`}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
        </div>
        <div class="field-row">
          <div class="field">
            <label for={`${id}-day`}>Or pick a day</label>
            <input
              id={`${id}-day`}
              class="input"
              type="date"
              value={picked}
              onInput={(event) => {
                setPicked(event.currentTarget.value);
                setWords("");
              }}
            />
          </div>
          <div class="field">
            <label for={`${id}-time`}>Time</label>
            <input
              id={`${id}-time`}
              class="input"
              type="time"
              value={time}
              onInput={(event) => {
                setTime(event.currentTarget.value);
                setWords("");
              }}
            />
          </div>
        </div>
        <p id={`${id}-outcome`} class="date-outcome" role="status">
          {isUnclear || mark === undefined
            ? "This is not a date. Try “next monday” or “nov 20 14:30”."
            : dateLabel(dateMarkText(mark))}
        </p>
        <footer class="dialog-foot">
          <button
            type="submit"
            class="button"
            data-tone="main"
            disabled={isUnclear || mark === undefined}
          >
            Insert
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
