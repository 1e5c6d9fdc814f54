import { useRead } from "../../state/use-read.ts";
import type { Workspace } from "../../state/workspace.ts";
import type { Row } from "../rows/outline-rows.ts";
import { endOfBlock } from "../rows/visible-row.ts";

/** The rows from one index up to another. */
interface Branch {
  readonly from: number;
  readonly to: number;
}

/** The rows of the branch that the caret is in, while the person has asked for the others to be dim. */
export function useBranch(
  { rows, focus, preferences: { dimsOthers } }: Workspace,
  all: readonly Row[],
): Branch | undefined {
  const read = (): Branch | undefined => {
    const state = dimsOthers.get() ? focus.state.get() : undefined;
    return state && branchOf(all, rows.indexOf(state.kind === "text" ? state.id : state.head));
  };
  useRead(
    () => JSON.stringify(read()),
    (look) => {
      const stops = [focus.state.subscribe(look), dimsOthers.subscribe(look)];
      return () => stops.forEach((stop) => stop());
    },
    [all],
  );
  return read();
}

/** The line at an index with what is below it, and with its siblings: what is worked on. */
function branchOf(rows: readonly Row[], index: number): Branch | undefined {
  if (index < 0) return undefined;
  const depth = Math.max(0, (rows[index]?.depth ?? 0) - 1);
  let from = index;
  while (from > 0 && (rows[from]?.depth ?? 0) > depth) from--;
  return { from, to: endOfBlock(rows, from) };
}
