import { shownLayout } from "../../../src/core/node/layout.ts";
import type { OutlineEntry } from "../../../src/formats/outline-entry.ts";

/** Entries as nested lists, for programs that know nothing of outlines. Names are safe HTML already. */
export function htmlOfEntries(entries: readonly OutlineEntry[]): string {
  const pieces: string[] = [];
  let open = -1;
  for (const entry of entries) {
    if (entry.depth > open) pieces.push("<ul>");
    else pieces.push("</li>", "</ul></li>".repeat(open - entry.depth));
    open = entry.depth;
    pieces.push("<li>", itemOf(entry));
  }
  if (open >= 0) pieces.push("</li></ul>".repeat(open + 1));
  return pieces.join("");
}

function itemOf(entry: OutlineEntry): string {
  const note = entry.note === undefined ? "" : `<br>${entry.note.replaceAll("\n", "<br>")}`;
  return boxOf(entry) + nameOf(entry) + note;
}

function nameOf({ layout: given, name }: OutlineEntry): string {
  const layout = shownLayout(given);
  switch (layout) {
    case "h1":
    case "h2":
    case "h3":
      return `<${layout}>${name}</${layout}>`;
    case "code-block":
      return `<pre><code>${name}</code></pre>`;
    case "quote-block":
      return `<blockquote>${name}</blockquote>`;
    case "bullets":
    case "todo":
      return name;
  }
}

function boxOf({ layout, completedAt }: OutlineEntry): string {
  const isDone = completedAt !== undefined;
  if (layout !== "todo" && !isDone) return "";
  return `<input type="checkbox" disabled${isDone ? " checked" : ""}> `;
}
