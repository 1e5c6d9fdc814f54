import type { FormatValue } from "../../../src/core/text/rich-text.ts";
import type { TextRange } from "../outline/focus/text-mark.ts";
import type { Workspace } from "../state/workspace.ts";
import type { CommandTarget } from "./command.ts";
import { holdFocus, isDone } from "./outcome.ts";

/** What a format is for: the selected text; all of the text with only a caret; else whole names. */
export function rangesOf(
  { replica }: Workspace,
  { keys, text }: CommandTarget,
): readonly TextRange[] {
  return keys
    .map((key) => {
      const part = text?.part ?? "name";
      const length = replica.edits.text(key, part)?.length ?? 0;
      const isCaret = text === undefined || text.from === text.to;
      return { key, part, from: isCaret ? 0 : text.from, to: isCaret ? length : text.to };
    })
    .filter(({ from, to }) => to > from);
}

/** Sets formats on all ranges, or takes them away (null), as one step of the history. */
export function formatRanges(
  workspace: Workspace,
  ranges: readonly TextRange[],
  formats: readonly (readonly [name: string, value: FormatValue | null])[],
): void {
  const { edits, history } = workspace.replica;
  history.step(() => {
    for (const { key, part, from, to } of ranges) {
      for (const [name, value] of formats) {
        if (!isDone(workspace, edits.format(key, part, { from, to }, name, value))) return;
      }
    }
  });
  holdFocus(workspace);
}
