import { Entry } from "../dialogs/entry.tsx";
import { savedSearches, starredNodes } from "../search/saved-searches.ts";
import { searchInWords, shortened, titleOf } from "../page/node-names.ts";
import { useOutlineMaps } from "../page/use-outline-maps.ts";
import type { Workspace } from "../state/workspace.ts";

/** The user's shortcuts, which the app shows as stars. */
export function StarsSection({ workspace }: { readonly workspace: Workspace }) {
  const { replica, dialog } = workspace;
  useOutlineMaps(replica, ["keys"]);
  const { outline, edits } = replica;
  const stars = starredNodes(outline);
  const searches = savedSearches(outline);
  return (
    <section class="settings-section" aria-labelledby="settings-stars">
      <h3 id="settings-stars">Stars</h3>
      {stars.length + searches.length === 0 ? (
        <p class="hint">Nothing is starred yet.</p>
      ) : (
        <ul class="entry-list" role="list">
          {stars.map(({ key, node }) => (
            <Entry
              key={key}
              title={shortened(titleOf(outline, node), 60)}
              detail={<code>{key}</code>}
            >
              <EntryButton
                label="Rename"
                name={key}
                onClick={() => dialog.set({ kind: "star", key: node })}
              />
              <EntryButton label="Remove" name={key} onClick={() => edits.removeShortcut(key)} />
            </Entry>
          ))}
          {searches.map(({ shortcut, query, below }) => (
            <Entry key={shortcut} title={searchInWords(outline, query, below, 60)} detail="Search">
              <EntryButton
                label="Remove"
                name={`the search ${query}`}
                onClick={() => edits.removeShortcut(shortcut)}
              />
            </Entry>
          ))}
        </ul>
      )}
    </section>
  );
}

function EntryButton(props: {
  readonly label: string;
  /** What a screen reader hears that it is for. */
  readonly name: string;
  readonly onClick: () => void;
}) {
  const { label, name, onClick } = props;
  return (
    <button
      type="button"
      class="button"
      data-tone="quiet"
      aria-label={`${label} ${name}`}
      onClick={onClick}
    >
      {label}
    </button>
  );
}
