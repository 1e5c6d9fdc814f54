import { ROOT } from "../../../src/core/node-key.ts";
import { Icon } from "./icon.tsx";
import type { KeptRow, KeptView } from "./kept-view.ts";
import { RichTextView } from "./rich-text-view.tsx";

/** What was on the screen last time, in the same look, until the outline itself is there. */
export function KeptViewPage({
  kept,
  hasSidebar,
}: {
  readonly kept: KeptView | undefined;
  readonly hasSidebar: boolean;
}) {
  return (
    <div class="shell" data-part="kept-view" data-sidebar={hasSidebar}>
      <div class="page-head" aria-hidden="true">
        <span class="icon-button">
          <Icon name="menu" />
        </span>
        <span class="icon-button">
          <Icon name="home" />
        </span>
        <div class="search">
          <Icon name="search" />
          <input type="search" placeholder="Search" disabled />
        </div>
      </div>
      <div class="page-body">
        {hasSidebar && <div class="sidebar-frame sidebar-space" />}
        <main class="page-main" aria-busy="true" aria-label="Outline, loading">
          <div class="outliner">
            <nav class="breadcrumbs" />
            <div class="page-of-rows">
              {kept !== undefined && kept.zoom !== ROOT && (
                <div class="title">
                  <h1>
                    <div class="text-title">{kept.title}</div>
                  </h1>
                </div>
              )}
              <div class="rows kept-rows">
                {kept?.rows.map((row) => (
                  <KeptRowView key={row.key} row={row} />
                ))}
              </div>
            </div>
          </div>
        </main>
      </div>
    </div>
  );
}

function KeptRowView({ row }: { readonly row: KeptRow }) {
  const { depth, name, note, layout, isCompleted, hasChildren, isExpanded } = row;
  return (
    <div
      class="row"
      dir="auto"
      data-layout={layout}
      data-completed={isCompleted ? "true" : undefined}
      style={{ "--depth": depth }}
    >
      <div class="row-marks">
        <span class="bullet" data-folded={hasChildren && !isExpanded ? "true" : undefined} />
      </div>
      {layout === "todo" && (
        <span class="check" aria-checked={isCompleted}>
          <svg class="icon" viewBox="0 0 12 12" aria-hidden="true">
            <path d="m2.5 6.2 2.4 2.4 4.6-5" />
          </svg>
        </span>
      )}
      <div class="texts">
        <RichTextView text={name} kind="text-name" />
        {note !== "" && (
          <div class="text-note" dir="auto">
            {note}
          </div>
        )}
      </div>
    </div>
  );
}
