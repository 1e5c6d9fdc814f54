import { type NodeKey, ROOT } from "../../../../src/core/node-key.ts";
import type { Outline } from "../../../../src/core/outline.ts";
import { nodeOfHref } from "../../../../src/core/text/node-link.ts";
import { followOutline } from "../../state/follow-outline.ts";
import { listen } from "../../state/listen.ts";
import type { Workspace } from "../../state/workspace.ts";
import "../aids/backlinks.css";
import { keyOfHash } from "./hash-place.ts";
import { ownHash } from "./own-hash.ts";

const LOST = "a[data-lost]";

/**
 * Shows which links of the outline lead to a line that is no longer there, or not yet; a click on one
 * says so instead of leading nowhere, and so does such an address. A line that comes (back) has its links
 * back. Answers how to stop.
 */
export function followLostLinks(workspace: Workspace, root: HTMLElement): () => void {
  const { replica } = workspace;
  let frame = 0;
  const judgeAll = (): void => judgeIn(root, workspace);
  const watch = new MutationObserver(judgeAll);
  const follow = (outline: Outline): (() => void) =>
    outline.onChange(({ placed }) => {
      if (placed.size === 0) return;
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(judgeAll);
    });
  const stop = followOutline(replica, follow, judgeAll);
  const onClick = (event: MouseEvent): void => {
    const link = event.target instanceof Element ? event.target.closest<HTMLElement>(LOST) : null;
    if (link === null) return;
    event.preventDefault();
    event.stopPropagation();
    tellLost(workspace, "link", targetOf(link));
  };
  let told: NodeKey = ROOT;
  const judgeAddress = (): void => {
    // What the server has may still be on its way.
    if (replica.status.kind !== "saved") return;
    const key = keyOfHash(location.hash);
    const lost = replica.outline.has(key) ? ROOT : key;
    if (lost !== ROOT && lost !== told) tellLost(workspace, "address", lost);
    told = lost;
  };
  watch.observe(root, { childList: true, subtree: true });
  const stops = [
    listen(root, { click: onClick }, { capture: true }),
    listen(window, { hashchange: judgeAddress }),
    replica.onStatus(judgeAddress),
  ];
  judgeAll();
  judgeAddress();
  return () => {
    cancelAnimationFrame(frame);
    watch.disconnect();
    for (const each of stops) each();
    stop();
  };
}

function judgeIn(root: HTMLElement, { replica }: Workspace): void {
  for (const link of root.querySelectorAll<HTMLElement>(".rich-text a[href*='#/']")) {
    const key = targetOf(link);
    const isLost = key !== undefined && !replica.outline.has(key);
    if (isLost === link.hasAttribute("data-lost")) continue;
    link.toggleAttribute("data-lost", isLost);
    if (isLost) link.title = "The line that this leads to is not there";
    else link.removeAttribute("title");
  }
}

function tellLost(
  { replica, notices, dialog }: Workspace,
  from: "link" | "address",
  key: NodeKey | undefined,
): void {
  const line = `The line that this ${from} leads to`;
  if (key === undefined || replica.outline.tree.rowAt(key) === undefined) {
    return notices.show(`${line} is not in this outline.`);
  }
  notices.show(`${line} was deleted.`, {
    label: "Open the trash",
    run: () => dialog.set({ kind: "trash" }),
  });
}

function targetOf(link: HTMLElement) {
  const hash = ownHash(link.getAttribute("href") ?? "");
  return hash === undefined ? undefined : nodeOfHref(hash);
}
