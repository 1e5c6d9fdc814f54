import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { isComposing } from "../state/is-composing.ts";

/** One line of a finder. */
export interface Found {
  readonly id: string;
  readonly title: string;
  /** Beside the title, softer: where it is, or its key. */
  readonly detail?: string;
}

/** A text field over a list of which one line is marked: what is typed chooses, Enter takes. */
export function Finder({
  label,
  placeholder,
  find,
  version = 0,
  onTake,
  whenEmpty,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly find: (query: string) => readonly Found[];
  /** Another number when the same query may find something else. */
  readonly version?: number;
  readonly onTake: (id: string) => void;
  readonly whenEmpty: string;
}) {
  const listId = useId();
  const list = useRef<HTMLUListElement>(null);
  const [query, setQuery] = useState("");
  const [marked, setMarked] = useState(0);
  const [answer, setAnswer] = useState(() => ({ query, version, found: find(query) }));
  const { found } = answer;
  /** What was typed when Enter was pressed and nothing was found yet: it is taken when it is. */
  const wanted = useRef<string | undefined>(undefined);

  useEffect(() => {
    const next = { query, version, found: find(query) };
    setAnswer(next);
    const [line] = next.found;
    if (line === undefined || wanted.current !== query) return;
    wanted.current = undefined;
    onTake(line.id);
  }, [query, version]);
  const at = Math.min(marked, Math.max(0, found.length - 1));
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at, found]);

  function onKeyDown(event: TargetedKeyboardEvent<HTMLInputElement>): void {
    if (isComposing(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const isSingle = Math.abs(step) === 1;
      const last = Math.max(0, found.length - 1);
      const next = at + step;
      setMarked(
        isSingle && found.length > 0
          ? (next + found.length) % found.length
          : Math.min(last, Math.max(0, next)),
      );
    } else if (event.key === "Enter") {
      event.preventDefault();
      // Who types quickly is ahead of what is shown, and means what was typed.
      const typed = event.currentTarget.value;
      const isShown = answer.query === typed && answer.version === version;
      const line = isShown ? found[at] : find(typed)[0];
      if (line === undefined) wanted.current = typed;
      else onTake(line.id);
    }
  }

  return (
    <div class="finder">
      <input
        class="finder-input"
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={found[at] === undefined ? undefined : `${listId}-${at}`}
        aria-autocomplete="list"
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={query}
        onInput={(event) => {
          wanted.current = undefined;
          setQuery(event.currentTarget.value);
          setMarked(0);
        }}
        onKeyDown={onKeyDown}
      />
      {found.length === 0 && <p class="finder-empty">{whenEmpty}</p>}
      <ul id={listId} ref={list} class="finder-list" role="listbox" aria-label={label}>
        {found.map((line, index) => (
          <li
            key={line.id}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === at}
            class="finder-line"
            onMouseMove={() => index !== at && setMarked(index)}
            onClick={() => onTake(line.id)}
          >
            <span class="finder-title">{line.title}</span>
            {line.detail !== undefined && <span class="finder-detail">{line.detail}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
