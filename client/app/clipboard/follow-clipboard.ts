import { trash } from "../commands/delete-commands.ts";
import type { Keyboard } from "../outline/focus/keyboard.ts";
import { addWrittenLine } from "../outline/first-line.tsx";
import type { OutlineScreen } from "../outline/focus/outline-screen.ts";
import { keyOf } from "../outline/rows/row-id.ts";
import { listen } from "../state/listen.ts";
import { whenIdle } from "../state/when-idle.ts";
import { copiedOf } from "./copied.ts";
import { followDroppedFiles, isPastable, takeFile } from "./incoming-files.ts";
import { IncomingPastes } from "./incoming-pastes.ts";
import { OWN_TYPE } from "./own-format.ts";
import { pasteLiterally } from "./paste.ts";

/**
 * Copy, cut and paste in the outline. Answers how to stop. The page is listened to, not the outline:
 * while lines are selected no text is, and Firefox then sends these events to the body.
 */
export function followClipboard(
  screen: OutlineScreen,
  page: Document,
  keyboard: Keyboard,
): () => void {
  const { workspace } = screen;
  const pastes = new IncomingPastes(screen);
  const isForUs = ({ target }: ClipboardEvent): boolean =>
    screen.contains(target) || (target === page.body && screen.contains(page.activeElement));
  const isForFirstLine = ({ target }: ClipboardEvent): boolean =>
    screen.firstLine !== null &&
    (target === screen.firstLine || page.activeElement === screen.firstLine);
  const copy = (event: ClipboardEvent): boolean => {
    if (!isForUs(event)) return false;
    screen.noticeCaret();
    const copied = copiedOf(workspace);
    if (copied === undefined || event.clipboardData === null) return false;
    for (const [type, text] of copied) event.clipboardData.setData(type, text);
    event.preventDefault();
    return true;
  };
  const onPaste = (event: ClipboardEvent): void => {
    const isFirst = isForFirstLine(event);
    if (!isFirst && !isForUs(event)) return;
    const data = event.clipboardData;
    const isLiteral = keyboard.takeLiteralPaste();
    screen.noticeCaret();
    if (data === null) return;
    const [file] = data.files;
    // What is copied of a page with a picture has both; then the words count, and where it is.
    if (file !== undefined && !hasWords(data)) {
      event.preventDefault();
      return takeFile(workspace, file);
    }
    if (!data.types.some((type) => READ.has(type))) return;
    event.preventDefault();
    if (![...READ].every((type) => isPastable(workspace, data.getData(type)))) return;
    // What is pasted where there is no line takes its place.
    if (isFirst && addWrittenLine(workspace) === undefined) return;
    // The clipboard can be read only now.
    const texts = new Map([...READ].map((type) => [type, data.getData(type)]));
    const plain = texts.get("text/plain") ?? "";
    if (isLiteral && plain !== "") pasteLiterally(workspace, plain);
    else pastes.take((type) => texts.get(type) ?? "");
  };
  const stops = [
    whenIdle(() => void pastes.fetchAhead()),
    followDroppedFiles(workspace, page),
    listen(page, {
      copy: (event) => void copy(event),
      cut: (event) => copy(event) && removeSelected(screen),
      paste: onPaste,
    }),
  ];
  return () => stops.forEach((stop) => stop());
}

const READ: ReadonlySet<string> = new Set(["text/plain", "text/html", OWN_TYPE]);

/** A picture with an address, which is what is pasted of it. */
const PICTURE_OF_WEB = /<img\b[^<>]*\ssrc\s*=\s*["']?https?:/i;

function hasWords(data: DataTransfer): boolean {
  const html = data.getData("text/html");
  const words = data.getData("text/plain") + html.replaceAll(/<[^<>]*>/g, "");
  return words.trim() !== "" || PICTURE_OF_WEB.test(html);
}

function removeSelected({ workspace }: OutlineScreen): void {
  const state = workspace.focus.state.get();
  if (state?.kind === "nodes") return trash(workspace, state.ids);
  if (state === undefined) return;
  const { id, part, anchor, head } = state;
  const from = Math.min(anchor, head);
  const { edits, history } = workspace.replica;
  // No part of what was typed just before.
  history.seal();
  edits.type(keyOf(id), part, { at: from, remove: Math.abs(anchor - head), insert: "" });
  history.seal();
  workspace.focus.caret(id, from, part);
}
