import { useId, useState } from "preact/hooks";
import { dateLabel, dateMarkText, parseDateMark } from "../../../src/core/text/dates.ts";
import { formatsForTyping } from "../../lib/edit/typed-text.ts";
import { dateInWords } from "../../lib/search/date-in-words.ts";
import { isDone } from "../commands/outcome.ts";
import { textOfNode } from "../outline/focus/text-of-node.ts";
import { todayOf } from "../state/follow-day.ts";
import { Dialog } from "./dialog.tsx";
import type { DialogProps } from "./dialog-props.ts";
import { markedRange } from "./marked-range.ts";

/** A date in a text, a new one or another for one that is there: said in words, or picked. */
export function DateDialog({ workspace, request, close }: DialogProps<"date">) {
  const { outline, edits, history } = workspace.replica;
  const { id: row, place, value } = request;
  const id = useId();
  const { weekStart } = outline.settings();
  const [words, setWords] = useState("");
  const today = todayOf(workspace.replica);
  const [first] = useState(() => momentOf(value) ?? { day: dateMarkText(today), time: "" });
  const [picked, setPicked] = useState(first.day);
  const [time, setTime] = useState(first.time);
  const said = words.trim() === "" ? undefined : dateInWords(words, today, weekStart);
  const day = said === undefined ? picked : dateMarkText(said);
  const mark = said?.time === undefined ? parseDateMark(`${day} ${time}`.trim()) : said;
  const isUnclear = words.trim() !== "" && said === undefined;

  function insert(): void {
    if (mark === undefined || isUnclear) return;
    const range = markedRange(workspace, place);
    if (range === undefined) return close();
    const { key, part, from, to } = range;
    const before = textOfNode(workspace.replica, key, part).charAt(from - 1);
    const gap = value === undefined && /\S/.test(before) ? " " : "";
    const at = from + gap.length;
    const d = dateMarkText(mark);
    const insert = dateLabel(d);
    const text = edits.text(key, part);
    const around = text === undefined ? {} : formatsForTyping(text, from, to);
    const isWritten = history.step(
      () =>
        isDone(workspace, edits.type(key, part, { at: from, remove: to - from, insert: gap })) &&
        isDone(
          workspace,
          edits.type(key, part, { at, remove: 0, insert, formats: { ...around, d } }),
        ),
    );
    close(isWritten);
    if (isWritten) workspace.focus.caret(row, at + insert.length, part);
  }

  return (
    <Dialog label="Date" size="small" onSubmit={insert} close={close}>
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
              if (said?.time !== undefined) setWords("");
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
          {value === undefined ? "Insert" : "Change"}
        </button>
      </footer>
    </Dialog>
  );
}

/** What the fields for the day and the time show of a value of the format `d`. */
function momentOf(value = ""): { readonly day: string; readonly time: string } | undefined {
  if (parseDateMark(value) === undefined) return undefined;
  const [day = "", time = ""] = value.split(" ");
  return { day, time };
}
