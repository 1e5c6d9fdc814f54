/** Cuts pieces of a text into lines, whose ends are `\n` or `\r\n`. */
export class LineSplitter {
  readonly #onLine: (line: string, number: number) => void;
  #number = 0;
  /** The line under way, as the pieces it came in. */
  #open: string[] = [];

  /** @param onLine gets each line without its end, and its number from 1 */
  constructor(onLine: (line: string, number: number) => void) {
    this.#onLine = onLine;
  }

  push(piece: string): void {
    let from = 0;
    for (let end = piece.indexOf("\n"); end !== -1; end = piece.indexOf("\n", from)) {
      this.#open.push(piece.slice(from, end));
      this.#emit();
      from = end + 1;
    }
    if (from < piece.length) this.#open.push(piece.slice(from));
  }

  /** The last line needs no end. */
  finish(): void {
    if (this.#open.length > 0) this.#emit();
  }

  #emit(): void {
    const line = this.#open.join("");
    this.#open = [];
    this.#onLine(line.endsWith("\r") ? line.slice(0, -1) : line, ++this.#number);
  }
}
