import { useEffect } from "preact/hooks";
import { prepareSearch } from "../../../src/core/search/search-outline.ts";
import { QUERY_OPERATORS } from "../../lib/search/query-operators.ts";
import { isDone } from "../commands/outcome.ts";
import { Icon } from "../page/icon.tsx";
import { useOutlineMaps } from "../page/use-outline-maps.ts";
import { inSlices } from "../state/in-slices.ts";
import { useSource } from "../state/use-source.ts";
import type { Workspace } from "../state/workspace.ts";
import { savedAs, shortcutOf } from "./saved-searches.ts";

/** What stands beside the words of a search: what it understands, then the star that keeps it. */
export function SearchAids({
  workspace,
  query,
  listId,
  onUse,
}: {
  readonly workspace: Workspace;
  readonly query: string;
  readonly listId: string;
  readonly onUse: (example: string) => void;
}) {
  const { replica, rows } = workspace;
  const asksForChanges = query.includes("changed:");
  useEffect(
    () => inSlices(prepareSearch(replica.outline, rows.zoom.get(), "texts")),
    [replica, rows],
  );
  useEffect(() => {
    // It takes longer than texts and is asked for seldom: only while somebody types the time.
    if (!asksForChanges) return undefined;
    return inSlices(prepareSearch(replica.outline, rows.zoom.get(), "changes"));
  }, [asksForChanges, replica, rows]);
  if (query === "") return <Operators listId={listId} onUse={onUse} />;
  return query.trim() === "" ? null : <SaveSearch workspace={workspace} query={query} />;
}

/** Each can be taken with a click. */
function Operators({
  listId,
  onUse,
}: {
  readonly listId: string;
  readonly onUse: (example: string) => void;
}) {
  return (
    // A press in it, beside the examples too, takes the focus from nobody: the box would close it, in Safari
    // before the click on an example.
    <div
      id={listId}
      class="popover search-operators"
      onMouseDown={(event) => event.preventDefault()}
    >
      <p class="search-operators-title">Words, or any of these</p>
      <ul role="list">
        {QUERY_OPERATORS.map(({ example, meaning }) => (
          <li key={example}>
            <button type="button" tabIndex={-1} onClick={() => onUse(example)}>
              <code>{example}</code>
              <span>{meaning}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Puts a search among the stars, and takes it out again. */
function SaveSearch({
  workspace,
  query,
}: {
  readonly workspace: Workspace;
  readonly query: string;
}) {
  const { replica, rows } = workspace;
  const { outline, edits } = replica;
  const below = useSource(rows.zoom);
  useOutlineMaps(replica, ["keys"]);
  const saved = savedAs(outline, query, below);
  const save = (): void => {
    const result = edits.setShortcut(shortcutOf(outline, query), below);
    if (result.kind === "invalid_shortcut") {
      workspace.notices.warn("So long a search can’t be saved.");
    } else isDone(workspace, result);
  };
  const label = saved === undefined ? "Save this search" : "Remove this search from the stars";
  return (
    <button
      type="button"
      class="search-save"
      aria-pressed={saved !== undefined}
      aria-label={label}
      title={label}
      onClick={() => {
        if (saved !== undefined) edits.removeShortcut(saved.shortcut);
        else save();
      }}
    >
      <Icon name="star" />
    </button>
  );
}
