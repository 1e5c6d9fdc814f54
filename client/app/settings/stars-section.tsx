import { shortened, titleOf } from "../page/node-names.ts";
import { useOutlineMaps } from "../page/use-outline-maps.ts";
import type { Workspace } from "../state/workspace.ts";

/** The user's shortcuts, which the app shows as stars. */
export function StarsSection({ workspace }: { readonly workspace: Workspace }) {
  const { replica, dialog } = workspace;
  useOutlineMaps(replica, ["keys"]);
  const stars = replica.outline.shortcuts();
  return (
    <section class="settings-section" aria-labelledby="settings-stars">
      <h3 id="settings-stars">Stars</h3>
      {stars.length === 0 ? (
        <p class="hint">Nothing is starred yet.</p>
      ) : (
        <ul class="entry-list" role="list">
          {stars.map(({ key, node }) => (
            <li key={key} class="entry">
              <div class="entry-text">
                <p class="entry-title">{shortened(titleOf(replica.outline, node), 60)}</p>
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
        </ul>
      )}
    </section>
  );
}
