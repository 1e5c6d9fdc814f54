import { layoutOf } from "../../../src/core/node/node-reader.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { RichText } from "../../../src/core/text/rich-text.ts";
import type { TextPart } from "../../lib/edit/edits.ts";
import type { Replica } from "../../lib/replica.ts";
import { runsIn } from "./runs-in.ts";
import { typedFormat, typedPrefix } from "./typed-markdown.ts";

/** A text in which something was just typed. */
export interface TypedText {
  readonly runs: RichText;
  readonly text: string;
  /** Behind what was typed. */
  readonly caret: number;
  readonly typed: string;
}

export interface ReadMarkdown {
  readonly caret: number;
  /** What is typed next does not have these formats, though the character before it has. */
  readonly off: readonly string[];
}

/**
 * Makes formats and layouts of markdown as it is typed, each as a step of its own: undoing it gives
 * back what was typed.
 */
export class MarkdownTyping {
  readonly #key: NodeKey;
  readonly #part: TextPart;
  readonly #replica: Pick<Replica, "outline" | "edits" | "history">;

  constructor(
    key: NodeKey,
    part: TextPart,
    replica: Pick<Replica, "outline" | "edits" | "history">,
  ) {
    this.#key = key;
    this.#part = part;
    this.#replica = replica;
  }

  /** @param typed what may close markdown. Undefined when nothing was to be done. */
  read(typed: TypedText): ReadMarkdown | undefined {
    if (this.#part === "name" && this.#isCode()) return undefined;
    return this.#readPrefix(typed) ?? this.#readFormat(typed);
  }

  #readPrefix({ text, caret, typed, runs }: TypedText): ReadMarkdown | undefined {
    if (this.#part !== "name" || (typed !== " " && typed !== "`")) return undefined;
    const prefix = typedPrefix(text, caret);
    if (prefix === undefined || (runs[0]?.attributes?.["code"] ?? false) !== false) {
      return undefined;
    }
    const { edits } = this.#replica;
    this.#step(() => {
      edits.type(this.#key, "name", { at: 0, remove: prefix.length, insert: "" });
      edits.layout([this.#key], prefix.layout);
      if (prefix.isCompleted) edits.complete([this.#key], true);
    });
    return { caret: 0, off: [] };
  }

  #readFormat({ runs, text, caret }: TypedText): ReadMarkdown | undefined {
    const found = typedFormat(text, caret);
    if (found === undefined) return undefined;
    const { from, text: inner, format, value } = found;
    if (isLiteralIn(runs, from, caret, format)) return undefined;
    const { edits } = this.#replica;
    const [key, part] = [this.#key, this.#part];
    this.#step(() => {
      edits.type(key, part, { at: inner.to, remove: caret - inner.to, insert: "" });
      edits.type(key, part, { at: from, remove: inner.from - from, insert: "" });
      edits.format(key, part, { from, to: from + inner.to - inner.from }, format, value);
    });
    return { caret: from + inner.to - inner.from, off: [format] };
  }

  #step(work: () => void): void {
    const { history } = this.#replica;
    history.seal();
    history.step(work);
  }

  #isCode(): boolean {
    const text = this.#replica.edits.text(this.#key, "name");
    return text !== undefined && layoutOf(text) === "code-block";
  }
}

/** Whether markdown means nothing in a range: in code, and for a link in a link. */
function isLiteralIn(runs: RichText, from: number, to: number, format: string): boolean {
  return runsIn(runs, from, to).some(
    ({ attributes = {} }) => "code" in attributes || (format === "a" && "a" in attributes),
  );
}
