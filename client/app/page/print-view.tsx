import { render } from "preact";
import type * as Y from "yjs";
import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import { completedAtOf } from "../../../src/core/node/completion.ts";
import { layoutOf, noteHtmlOf } from "../../../src/core/node/node-reader.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import { richTextOfHtml } from "../../../src/core/text/html.ts";
import { readRichText } from "../../../src/core/text/y-text.ts";
import type { Workspace } from "../state/workspace.ts";
import { titleOf } from "./node-names.ts";
import { RichTextView } from "./rich-text-view.tsx";

/** For paper: all rows of what is looked at, where the screen has only those in sight. */
export function followPrinting(workspace: Workspace): void {
  const page = document.createElement("div");
  page.className = "print-view";
  document.body.append(page);
  // The picture for paper is taken as soon as this is left: nothing may be put off.
  addEventListener("beforeprint", () => render(<PrintedPage workspace={workspace} />, page));
  addEventListener("afterprint", () => render(null, page));
}

function PrintedPage({ workspace }: { readonly workspace: Workspace }) {
  const { replica, rows } = workspace;
  const zoom = rows.zoom.get();
  return (
    <>
      {zoom !== ROOT && <h1>{titleOf(replica.outline, zoom)}</h1>}
      <PrintedNote text={textOf(nodesOf(replica.outline.doc), zoom)} />
      {rows.rows.get().map(({ id, key, depth }) => (
        <PrintedRow key={id} workspace={workspace} nodeKey={key} depth={depth} />
      ))}
    </>
  );
}

function PrintedRow({
  workspace,
  nodeKey,
  depth,
}: {
  readonly workspace: Workspace;
  readonly nodeKey: NodeKey;
  readonly depth: number;
}) {
  const { outline } = workspace.replica;
  const text = textOf(nodesOf(outline.doc), outline.heldBy(nodeKey));
  if (text === undefined) return null;
  const isCompleted = completedAtOf(text) !== null;
  return (
    <div
      class="print-row"
      dir="auto"
      data-layout={layoutOf(text)}
      data-completed={isCompleted ? "true" : undefined}
      style={{ "--depth": depth }}
    >
      <RichTextView text={readRichText(text)} kind="text-name" />
      <PrintedNote text={text} />
    </div>
  );
}

function PrintedNote({ text }: { readonly text: Y.Text | undefined }) {
  const note = text === undefined ? null : noteHtmlOf(text);
  return note === null ? null : <RichTextView text={richTextOfHtml(note)} kind="text-note" />;
}
