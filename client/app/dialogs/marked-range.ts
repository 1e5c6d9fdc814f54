import { rangeOfMark, type TextMark, type TextRange } from "../outline/focus/text-mark.ts";
import type { Workspace } from "../state/workspace.ts";

/** Where the text is now that a dialog was opened for; when it is gone, the person is told. */
export function markedRange(
  { replica, notices }: Workspace,
  mark: TextMark,
): TextRange | undefined {
  const range = rangeOfMark(replica, mark);
  if (range !== undefined && (range.from < range.to || !mark.isRange)) return range;
  notices.warn("The text that this was for is no longer there.");
  return undefined;
}
