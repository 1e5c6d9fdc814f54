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
            <li key={key} class="entry">
              <div class="entry-text">
                <p class="entry-title">{shortened(titleOf(outline, node), 60)}</p>
                <p class="entry-detail">
                  <code>{key}</code>
                </p>
              </div>
              <div class="entry-actions">
                <button
                  type="button"
                  class="button"
                  data-tone="quiet"
                  aria-label={`Rename ${key}`}
                  onClick={() => dialog.set({ kind: "star", key: node })}
                >
                  Rename
                </button>
                <button
                  type="button"
                  class="button"
                  data-tone="quiet"
                  aria-label={`Remove ${key}`}
                  onClick={() => replica.edits.removeShortcut(key)}
                >
                  Remove
                </button>
              </div>
            </li>
          ))}
          {searches.map(({ shortcut, query, below }) => (
            <li key={shortcut} class="entry">
              <div class="entry-text">
                <p class="entry-title">{searchInWords(outline, query, below, 60)}</p>
                <p class="entry-detail">Search</p>
              </div>
              <div class="entry-actions">
                <button
                  type="button"
                  class="button"
                  data-tone="quiet"
                  aria-label={`Remove the search ${query}`}
                  onClick={() => replica.edits.removeShortcut(shortcut)}
                >
                  Remove
                </button>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
