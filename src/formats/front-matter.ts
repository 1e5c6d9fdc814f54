const MARK = /^\uFEFF?---[ \t]*$/;
const END = /^(?:---|\.\.\.)[ \t]*$/;
/** A field, what goes on from the line before, an item of a list, a comment, or nothing. */
const FIELD = /^[^\s:#-][^:]*:(?:[ \t]|$)/;
const MORE = /^(?:[ \t]+\S|- |-$|#|[ \t]*$)/;
/** No page says more about itself. */
const MAX_LINES = 200;

/**
 * What a file of markdown says about itself before its text: fields between two lines of dashes, as
 * note-taking programs and site generators write them. Takes the file line by line.
 */
export class FrontMatter {
  /** What stands between the dashes, as far as it has been read. */
  readonly fields: string[] = [];
  #isBegun = false;

  /** Answers whether it goes on behind this line, has ended with it, or is none after all. */
  take(line: string): "goes on" | "ended" | "none" {
    if (!this.#isBegun) {
      this.#isBegun = MARK.test(line);
      return this.#isBegun ? "goes on" : "none";
    }
    const isFirst = this.fields.length === 0;
    if (!isFirst && END.test(line)) return "ended";
    const belongs = FIELD.test(line) || (!isFirst && MORE.test(line));
    if (!belongs || this.fields.length === MAX_LINES) return "none";
    this.fields.push(line);
    return "goes on";
  }
}

/** Whether a text begins with front matter. */
export function hasFrontMatter(lines: Iterable<string>): boolean {
  const front = new FrontMatter();
  for (const line of lines) {
    const answer = front.take(line);
    if (answer !== "goes on") return answer === "ended";
  }
  return false;
}
