import { useId, useRef, useState } from "preact/hooks";
import { ROOT } from "../../../src/core/node-key.ts";
import { focusAgain, type KeptFocus, keptFocus } from "../outline/focus/kept-focus.ts";
import { countOf } from "../page/status-words.ts";
import { Icon } from "../page/icon.tsx";
import { isComposing } from "../state/is-composing.ts";
import { latePart } from "../page/part-missing.ts";
import { useSource } from "../state/use-source.ts";
import type { Workspace } from "../state/workspace.ts";
import { SEARCH_BOX_ID } from "./search-box-id.ts";

const SearchAids = latePart(async () => (await import("./search-aids.tsx")).SearchAids);

/** Searches in the zoomed part as one types; lists what it understands while it is empty. */
export function SearchBox({ workspace }: { readonly workspace: Workspace }) {
  const { replica, rows, focus } = workspace;
  const query = useSource(rows.query);
  const found = useSource(rows.found);
  const [hasFocus, setHasFocus] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  /** Where the person was before the search. */
  const before = useRef<KeptFocus>(undefined);
  const wasScrolled = useRef(false);
  const listId = useId();
  const [number, of] = countOf(found ?? 0, "line").split(" ");
  // Later they would lie over what is found.
  const showsOperators = hasFocus && query === "";

  function onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event)) return;
    if (!["Escape", "Enter", "ArrowDown"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const isLeft = event.key === "Escape";
    if (isLeft) rows.search("");
    const first = rows.rows.get().find((row) => !row.isContext);
    // Where nothing is found the words are to be changed.
    if (first === undefined && rows.query.get() !== "") return;
    input.current?.blur();
    // Who had no caret, and has scrolled to where they read, gets none that would scroll elsewhere.
    if (isLeft && (focusAgain(workspace, before.current) || wasScrolled.current)) return;
    const zoom = rows.zoom.get();
    if (first !== undefined) focus.caret(first.key, "start");
    else if (zoom !== ROOT) focus.caret(zoom, "end");
    else document.querySelector<HTMLElement>("[data-part=add]")?.focus();
  }

  function use(example: string): void {
    rows.search(example);
    input.current?.focus();
  }

  return (
    <search
      class="search"
      onFocusIn={() => {
        if (!hasFocus && query === "") {
          before.current = keptFocus(replica, focus.state.get());
          wasScrolled.current = window.scrollY > 0;
        }
        setHasFocus(true);
      }}
      onFocusOut={(event) => {
        const to = event.relatedTarget;
        const stays = to instanceof Node && event.currentTarget.contains(to);
        if (!stays) setHasFocus(false);
      }}
    >
      <Icon name="search" />
      <input
        ref={input}
        id={SEARCH_BOX_ID}
        type="search"
        aria-label="Search"
        aria-describedby={showsOperators ? listId : undefined}
        placeholder="Search"
        autocomplete="off"
        spellcheck={false}
        enterkeyhint="search"
        value={query}
        onInput={(event) => rows.search(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <span class="search-count" role="status">
        {found === undefined ? (
          ""
        ) : (
          <>
            {number} <span class="search-count-of">{of}</span>
          </>
        )}
      </span>
      {(showsOperators || query !== "") && (
        <SearchAids workspace={workspace} query={query} listId={listId} onUse={use} />
      )}
    </search>
  );
}
