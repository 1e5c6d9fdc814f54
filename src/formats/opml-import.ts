import { SaxesParser, type SaxesTagPlain } from "saxes";
import { DEFAULT_LAYOUT, isLayout, type Layout } from "../core/node/layout.ts";
import { htmlOfDynalist } from "./dynalist-text.ts";
import { EntryCollector } from "./entry-collector.ts";
import type { ImportLimits, OutlineEntry, OutlineReader, ReadResult } from "./outline-entry.ts";
import { unixTimeOf } from "./unix-time.ts";
import { wishedKeyOf } from "./wished-key.ts";

type Attributes = Readonly<Record<string, string>>;

/** How other outliners write headings: `heading="1"`. */
const HEADINGS: ReadonlyMap<string, Layout> = new Map([
  ["1", "h1"],
  ["2", "h2"],
  ["3", "h3"],
]);

/** The colours that Dynalist numbers. */
const COLOURS: ReadonlyMap<string, string> = new Map([
  ["1", "red"],
  ["2", "orange"],
  ["3", "yellow"],
  ["4", "green"],
  ["5", "blue"],
  ["6", "purple"],
]);

/** How WorkFlowy marks the name of a person; the name is in it. */
const MENTION = /<\/?mention(?:\s[^<>]*)?>/gi;

/**
 * Reads OPML: `<outline text="…" _note="…" _complete="true">`, with what our own export adds (`_id`,
 * `_layout`, `_created`, `_modified`, `_completed`, `_mirror`). `text` is taken as an HTML fragment, as
 * outliners write it; of Dynalist, which says so in its head, it is markdown. No document type is read, so there are no entities beyond XML's five.
 */
export class OpmlImport implements OutlineReader {
  readonly #parser = new SaxesParser();
  readonly #entries: EntryCollector;
  /** Open elements; the first is the root. */
  #openElements = 0;
  /** Open `outline` elements. */
  #depth = 0;
  #hasBody = false;
  #isFlavor = false;
  #isDynalist = false;

  constructor(limits: ImportLimits) {
    this.#entries = new EntryCollector(limits);
    this.#parser.on("error", (error) => {
      this.#fail(error.message.replace(/^\d+:\d+: |\.$/g, ""));
    });
    this.#parser.on("opentag", (tag) => this.#open(tag));
    this.#parser.on("text", (text) => {
      if (this.#isFlavor && text.trim().toLowerCase() === "dynalist") this.#isDynalist = true;
    });
    this.#parser.on("closetag", (tag) => {
      this.#isFlavor = false;
      this.#openElements--;
      if (tag.name === "outline") this.#depth--;
    });
  }

  push(piece: string): boolean {
    this.#parser.write(piece);
    return !this.#entries.isBroken;
  }

  finish(): ReadResult {
    if (!this.#entries.isBroken) this.#parser.close();
    if (!this.#hasBody) this.#fail("no OPML: there is no body in it");
    return this.#entries.result();
  }

  #fail(reason: string): void {
    this.#entries.fail(this.#parser.line, reason);
  }

  #open(tag: SaxesTagPlain): void {
    if (this.#openElements === 0 && tag.name !== "opml") {
      this.#fail(`no OPML: it begins with <${tag.name.slice(0, 40)}>`);
    }
    this.#openElements++;
    if (tag.name === "body") this.#hasBody = true;
    this.#isFlavor = tag.name === "flavor" && !this.#hasBody;
    if (tag.name !== "outline") return;
    this.#entries.add(this.#entryOf(tag.attributes), this.#parser.line);
    this.#depth++;
  }

  #entryOf(attributes: Attributes): OutlineEntry {
    const htmlOf = (text: string): string =>
      this.#isDynalist ? htmlOfDynalist(text) : text.replaceAll(MENTION, "");
    const note = htmlOf(attributes["_note"] ?? "");
    const completedAt = completionOf(attributes);
    const createdAt = timeOf(attributes["_created"]);
    const modifiedAt = timeOf(attributes["_modified"]);
    const key = wishedKeyOf(attributes["_id"] ?? "");
    const origin = wishedKeyOf(attributes["_mirror"] ?? "");
    const layout = layoutOf(attributes);
    const name = attributes["text"] ?? attributes["title"] ?? "";
    return {
      depth: this.#depth,
      name: layout === "code-block" ? name : coloured(htmlOf(inOneLine(name)), attributes),
      layout,
      ...(note !== "" && { note }),
      ...(completedAt !== undefined && { completedAt }),
      ...(createdAt !== undefined && { createdAt }),
      ...(modifiedAt !== undefined && { modifiedAt }),
      ...(key !== undefined && { key }),
      ...(origin !== undefined && { origin }),
    };
  }
}

/** With the colour behind it that the whole line has. */
function coloured(html: string, attributes: Attributes): string {
  const colour = COLOURS.get(attributes["colorLabel"] ?? "");
  if (colour === undefined || html === "") return html;
  return `<mark class="colored bc-${colour}">${html}</mark>`;
}

/** Only code has lines. */
function inOneLine(name: string): string {
  if (!name.includes("\n")) return name;
  const lines = name.split("\n").map((line) => line.trim());
  return lines.join(" ").trim();
}

function layoutOf(attributes: Attributes): Layout {
  const layout = attributes["_layout"];
  if (isLayout(layout)) return layout;
  const heading = HEADINGS.get(attributes["heading"] ?? "");
  return heading ?? (attributes["checkbox"] === "true" ? "todo" : DEFAULT_LAYOUT);
}

function timeOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[0-9]{1,12}$/.test(text) ? unixTimeOf(Number(text)) : undefined;
}

function completionOf(attributes: Attributes): OutlineEntry["completedAt"] {
  const exact = timeOf(attributes["_completed"]);
  if (exact !== undefined) return exact;
  const isComplete = [attributes["_complete"], attributes["complete"]].includes("true");
  return isComplete || attributes["_status"] === "checked" ? "unknown" : undefined;
}
