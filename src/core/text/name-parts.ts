/** A stretch of a `name` that makes one node. */
export type NamePart =
  /** Ordinary lines, joined. Space in front is gone; one behind may be left, for a bare prefix. */
  | { readonly kind: "line"; readonly line: string }
  /** What stands in a fence, with its line breaks. */
  | { readonly kind: "code"; readonly code: string };

interface Fence {
  readonly length: number;
  /** Set when the fence also ends on its line: what stands between. */
  readonly code?: string;
}

const FENCE = /^[ \t]{0,3}(`{3,})/;

/**
 * Splits a name where a blank line separates and around fenced code. Blank parts are left out. A
 * fence that isn't closed runs to the end; the info string behind its backticks is dropped.
 */
export function partsOfName(name: string): readonly NamePart[] {
  const parts: NamePart[] = [];
  const lines = name.split("\n");
  let pending: string[] = [];
  const flush = (): void => {
    const line = joinedLines(pending);
    if (line !== "") parts.push({ kind: "line", line });
    pending = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const fence = fenceOf(line);
    if (fence === undefined) {
      if (line.trim() === "") flush();
      else pending.push(line);
      continue;
    }
    flush();
    if (fence.code === undefined) {
      let end = at + 1;
      while (end < lines.length && !closes(lines[end] ?? "", fence)) end += 1;
      parts.push({ kind: "code", code: lines.slice(at + 1, end).join("\n") });
      at = end;
    } else {
      parts.push({ kind: "code", code: fence.code.trim() });
    }
  }
  flush();
  return parts;
}

/**
 * Lines made one: a line break with the space around it is a space, and so is a tab; blank lines count
 * for nothing.
 */
export function joinedLines(lines: readonly string[]): string {
  const written = lines
    .filter((line) => line.trim() !== "")
    .map((line) => line.replaceAll("\t", " "));
  const endsInSpace = written.at(-1)?.endsWith(" ") === true;
  return written.map((line) => line.trim()).join(" ") + (endsInSpace ? " " : "");
}

function fenceOf(line: string): Fence | undefined {
  const fence = FENCE.exec(line)?.[1];
  if (fence === undefined) return undefined;
  const rest = line.trim().slice(fence.length);
  if (!rest.includes("`")) return { length: fence.length };
  const code = rest.slice(0, -fence.length);
  const isOneLine =
    rest.endsWith(fence) && code !== "" && !code.endsWith("`") && !code.includes(fence);
  return isOneLine ? { length: fence.length, code } : undefined;
}

function closes(line: string, fence: Fence): boolean {
  const run = FENCE.exec(line)?.[1];
  return run !== undefined && run.length >= fence.length && line.trim() === run;
}
