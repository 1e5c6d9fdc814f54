import { useState } from "preact/hooks";
import { toggledTerm } from "../search/toggled-term.ts";
import { useSource } from "../state/use-source.ts";
import type { Workspace } from "../state/workspace.ts";
import { TagCounts } from "./tag-counts.ts";

const MOST_SHOWN = 12;

/** The tags of the outline, those of most lines first; a click narrows the search by one, or takes it off. */
export function TagsSection({
  workspace,
  onLeave,
}: {
  readonly workspace: Workspace;
  readonly onLeave: () => void;
}) {
  const { replica, rows } = workspace;
  const counts = useSource(TagCounts.of(replica).counts);
  const query = useSource(rows.query);
  const [showsAll, setShowsAll] = useState(false);
  if (counts.length === 0) return null;
  const shown = showsAll ? counts : counts.slice(0, MOST_SHOWN);
  return (
    <>
      <h2 class="sidebar-heading">Tags</h2>
      <ul role="list" class="tag-list">
        {shown.map(({ tag, count }) => (
          <li key={tag}>
            <button
              type="button"
              class="tag-button"
              aria-pressed={query.split(" ").includes(tag)}
              onClick={() => {
                rows.search(toggledTerm(query, tag), true);
                onLeave();
              }}
            >
              <span>{tag}</span>
              <span class="tag-count">{count.toLocaleString("en")}</span>
            </button>
          </li>
        ))}
      </ul>
      {counts.length > MOST_SHOWN && (
        <button type="button" class="sidebar-more" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? "Fewer" : `All ${counts.length.toLocaleString("en")} tags`}
        </button>
      )}
    </>
  );
}
