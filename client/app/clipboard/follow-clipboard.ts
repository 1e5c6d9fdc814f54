import { trash } from "../commands/node-commands.ts";
import type { Keyboard } from "../outline/keyboard.ts";
import type { OutlineScreen } from "../outline/outline-screen.ts";
import { copiedOf } from "./copied.ts";
import { OWN_TYPE } from "./own-format.ts";

/** Copy, cut and paste in the outline. Answers how to stop. */
export function followClipboard(
  screen: OutlineScreen,
  root: HTMLElement,
  keyboard: Keyboard,
): () => void {
  const { workspace } = screen;
  const copy = (event: ClipboardEvent): boolean => {
    screen.noticeCaret();
    const copied = copiedOf(workspace);
    if (copied === undefined || event.clipboardData === null) return false;
    for (const [type, text] of copied) event.clipboardData.setData(type, text);
    event.preventDefault();
    return true;
  };
  const onCopy = (event: ClipboardEvent): void => void copy(event);
  const onCut = (event: ClipboardEvent): void => {
    if (copy(event)) removeSelected(screen);
  };
  const onPaste = (event: ClipboardEvent): void => {
    const data = event.clipboardData;
    const isLiteral = keyboard.takeLiteralPaste();
    screen.noticeCaret();
    if (data === null || !data.types.some((type) => READ.has(type))) return;
    event.preventDefault();
    // The clipboard can be read only now; what reads it is loaded when it is needed first.
    const texts = new Map([...READ].map((type) => [type, data.getData(type)]));
    void readLater(texts, isLiteral);
  };
  const readLater = async (
    texts: ReadonlyMap<string, string>,
    isLiteral: boolean,
  ): Promise<void> => {
    const { takePaste } = await import("./take-paste.ts");
    takePaste(workspace, (type) => texts.get(type) ?? "", isLiteral);
  };
  root.addEventListener("copy", onCopy);
  root.addEventListener("cut", onCut);
  root.addEventListener("paste", onPaste);
  return () => {
    root.removeEventListener("copy", onCopy);
    root.removeEventListener("cut", onCut);
    root.removeEventListener("paste", onPaste);
  };
}

const READ: ReadonlySet<string> = new Set(["text/plain", "text/html", OWN_TYPE]);

function removeSelected({ workspace }: OutlineScreen): void {
  const state = workspace.focus.state.get();
  if (state?.kind === "nodes") return trash(workspace, state.keys);
  if (state === undefined) return;
  const { key, part, anchor, head } = state;
  const from = Math.min(anchor, head);
  workspace.replica.edits.type(key, part, {
    at: from,
    remove: Math.abs(anchor - head),
    insert: "",
  });
  workspace.focus.caret(key, from, part);
}
