const TAB_STOP = 4;
/**
 * Of a written line: one that is deeper stands beside what is that deep. Else the blanks alone of a
 * chain of so many nodes would be as long as the square of their number.
 */
const MOST_LEVELS = 100;

/** What stands before a line that is written so many levels deep. */
export function indented(levels: number, unit: string): string {
  return unit.repeat(Math.min(levels, MOST_LEVELS));
}

/** A line's leading blanks in columns, tabs reaching to the next multiple of 4. */
export interface Indentation {
  readonly columns: number;
  /** Where the text begins, in characters; the line's length when it is blank. */
  readonly end: number;
}

export function indentationOf(line: string): Indentation {
  let columns = 0;
  let end = 0;
  for (; end < line.length; end++) {
    const character = line.charAt(end);
    if (character === " ") columns++;
    else if (character === "\t") columns += TAB_STOP - (columns % TAB_STOP);
    else break;
  }
  return { columns, end };
}

/** Takes off up to so many columns of leading blanks; what is left of a tab becomes spaces. */
export function withoutIndentation(line: string, columns: number): string {
  let passed = 0;
  let at = 0;
  while (passed < columns && at < line.length) {
    const character = line.charAt(at);
    if (character === " ") passed++;
    else if (character === "\t") passed += TAB_STOP - (passed % TAB_STOP);
    else break;
    at++;
  }
  return " ".repeat(Math.max(0, passed - columns)) + line.slice(at);
}
