import { useId, useState } from "preact/hooks";
import { isTimezone, type WeekStart } from "../../../src/core/calendar/calendar.ts";
import { useOutlineMaps } from "../page/use-outline-maps.ts";
import type { Workspace } from "../state/workspace.ts";

const WEEK_STARTS: readonly { readonly value: WeekStart; readonly label: string }[] = [
  { value: 1, label: "Monday" },
  { value: 0, label: "Sunday" },
  { value: 6, label: "Saturday" },
];

/** Which day is today, and where a week begins: the same on all devices. */
export function TimeSection({ workspace }: { readonly workspace: Workspace }) {
  const id = useId();
  const { replica } = workspace;
  useOutlineMaps(replica, ["meta"]);
  const { timezone, weekStart } = replica.outline.settings();
  const [typed, setTyped] = useState(timezone);
  const here = new Intl.DateTimeFormat().resolvedOptions().timeZone;

  function setTimezone(name: string): void {
    setTyped(name);
    if (isTimezone(name)) replica.outline.configure({ timezone: name });
  }

  return (
    <section class="settings-section" aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>Time</h3>
      <div class="field">
        <label for={id}>Time zone</label>
        <input
          id={id}
          class="input"
          type="text"
          list={`${id}-zones`}
          spellcheck={false}
          value={typed}
          aria-invalid={!isTimezone(typed)}
          aria-describedby={`${id}-hint`}
          onInput={(event) => setTimezone(event.currentTarget.value)}
        />
        <datalist id={`${id}-zones`}>
          {Intl.supportedValuesOf("timeZone").map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <p id={`${id}-hint`} class="hint">
          {isTimezone(typed)
            ? "Today begins at midnight there, on all your devices."
            : `“${typed}” is no time zone; it is still ${timezone}.`}
        </p>
        {here !== timezone && isTimezone(here) && (
          <button type="button" class="button" onClick={() => setTimezone(here)}>
            Use this device’s: {here}
          </button>
        )}
      </div>
      <div class="field">
        <label for={`${id}-week`}>A week begins on</label>
        <select
          id={`${id}-week`}
          class="input"
          value={weekStart}
          onChange={(event) => {
            const day = WEEK_STARTS.find(
              ({ value }) => String(value) === event.currentTarget.value,
            );
            if (day !== undefined) replica.outline.configure({ weekStart: day.value });
          }}
        >
          {WEEK_STARTS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
    </section>
  );
}
