import { useLayoutEffect, useRef } from "preact/hooks";
import type { EditRefusal, TextPart } from "../../lib/edit/edits.ts";
import { isDone } from "../commands/outcome.ts";
import { TextEditor } from "../editor/text-editor.ts";
import { shortened } from "../page/node-names.ts";
import { toggledTerm } from "../search/toggled-term.ts";
import type { Workspace } from "../state/workspace.ts";
import { LABEL_IDS } from "./line-label.ts";
import type { OutlineScreen } from "./focus/outline-screen.ts";
import { keyOf, type RowId, viaOf } from "./rows/row-id.ts";
import { ownHash } from "./rows/own-hash.ts";
import { markText } from "./focus/text-mark.ts";

interface Props {
  readonly screen: OutlineScreen;
  /** Of the row; of the title that of the zoomed node. */
  readonly id: RowId;
  readonly part: TextPart;
  /** What `data-part` says: the name of the zoomed node is the title. */
  readonly role: "name" | "note" | "title";
}

/** One text that is edited where it stands. Its inside belongs to the editor. */
export function TextField({ screen, id, part, role }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  const { replica } = screen.workspace;
  const { outline } = replica;
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    return openEditor(screen, element, id, part);
  }, [screen, id, part, outline]);
  return (
    <div
      ref={ref}
      class={`text-${role}`}
      data-part={role}
      // A name lends its direction to its row.
      dir={role === "name" ? undefined : "auto"}
      contentEditable
      // A page that is translated has other words than the outline: they would be taken for edits.
      translate={false}
      role="textbox"
      // The texts of a row are its name: a label of their own in here would take their place in that.
      aria-labelledby={role === "title" ? undefined : LABEL_IDS[role]}
      aria-label={role === "title" ? "Title" : undefined}
      aria-multiline={role === "note"}
      tabIndex={-1}
    />
  );
}

function openEditor(
  screen: OutlineScreen,
  element: HTMLElement,
  id: RowId,
  part: TextPart,
): () => void {
  const key = keyOf(id);
  const { workspace } = screen;
  const { commands, dialog, focus, rows } = workspace;
  const editor = new TextEditor(element, {
    key,
    part,
    via: viaOf(id),
    replica: workspace.replica,
    onRefused: (refusal, typed) => tellRefused(workspace, refusal, typed),
    onSelection: ({ anchor, head }) => focus.noticed(id, part, anchor, head),
    onFocus: () => screen.stopTabAt(element),
    onBlur: () => screen.noticeBlur(),
    onTag: (tag) => rows.search(toggledTerm(rows.query.get(), tag), true),
    onDate: (value, { anchor, head }) => {
      const place = markText(workspace.replica, { key, part, from: anchor, to: head });
      dialog.set({ kind: "date", id, place, value });
    },
    onLink: (href) => openLink(href),
    onBreak: () => void commands.run("node.split"),
    onJoin: (way) => void commands.run(way === "before" ? "node.mergeUp" : "node.mergeDown"),
    onHistory: (way) => void commands.run(`history.${way}`),
  });
  const takeOff = screen.add({ id, part, element, editor });
  return () => {
    takeOff();
    editor.dispose();
  };
}

/** What was typed into a line that is gone is shown once more, to be written elsewhere. */
function tellRefused(workspace: Workspace, refusal: EditRefusal, typed: string): void {
  if (refusal.kind !== "not_found" || typed === "") return void isDone(workspace, refusal);
  const text = `“${shortened(typed, 200)}” was not written: its line is no longer there.`;
  workspace.notices.warn(text);
}

/** Links of this outline are followed here, others in a tab of their own. */
function openLink(href: string): void {
  const hash = ownHash(href);
  if (hash !== undefined) location.hash = hash;
  else window.open(href, "_blank", "noopener");
}
