import type { ComponentChildren } from "preact";
import { savedSearches, starredNodes } from "../search/saved-searches.ts";
import { searchInWords, shortened, titleOf } from "../page/node-names.ts";
import { useOutlineMaps } from "../page/use-outline-maps.ts";
import type { Workspace } from "../state/workspace.ts";

/** The user's shortcuts, which the app shows as stars. */
export function StarsSection({ workspace }: { readonly workspace: Workspace }) {
  const { replica, dialog } = workspace;
  useOutlineMaps(replica, ["keys"]);
  const { outline } = replica;
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
            <Star
              key={key}
              title={shortened(titleOf(outline, node), 60)}
              detail={<code>{key}</code>}
              name={key}
              onRename={() => dialog.set({ kind: "star", key: node })}
              onRemove={() => replica.edits.removeShortcut(key)}
            />
          ))}
          {searches.map(({ shortcut, query, below }) => (
            <Star
              key={shortcut}
              title={searchInWords(outline, query, below, 60)}
              detail="Search"
              name={`the search ${query}`}
              onRemove={() => replica.edits.removeShortcut(shortcut)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

function Star(props: {
  readonly title: string;
  readonly detail: ComponentChildren;
  /** What a screen reader hears that a button is for. */
  readonly name: string;
  readonly onRename?: () => void;
  readonly onRemove: () => void;
}) {
  const { title, detail, name, onRename, onRemove } = props;
  return (
    <li class="entry">
      <div class="entry-text">
        <p class="entry-title">{title}</p>
        <p class="entry-detail">{detail}</p>
      </div>
      <div class="entry-actions">
        {onRename !== undefined && <EntryButton label="Rename" name={name} onClick={onRename} />}
        <EntryButton label="Remove" name={name} onClick={onRemove} />
      </div>
    </li>
  );
}

function EntryButton(props: {
  readonly label: string;
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
