import { OTHER_COMMANDS } from "../commands/later-commands.ts";
import { isTouch } from "../state/is-touch.ts";
import type { Workspace } from "../state/workspace.ts";
import { plantFirstRun } from "./plant-first-run.ts";

/** Plants the first-run outline where there is none yet, and puts the caret into it. */
export function teachOnFirstRun(workspace: Workspace): void {
  const { replica, commands, rows, focus } = workspace;
  // Their keys are taught.
  commands.add(OTHER_COMMANDS);
  const keyOf = (id: string): string => commands.keyLabel(commands.get(id)) ?? "";
  const keys = {
    indent: keyOf("node.indent"),
    complete: keyOf("node.complete"),
    zoomIn: keyOf("view.zoomIn"),
    zoomOut: keyOf("view.zoomOut"),
    jump: keyOf("page.jump"),
    help: keyOf("page.help"),
  };
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  // By touch a keyboard would come up over the lessons.
  const isByTouch = isTouch();
  plantFirstRun(replica, isByTouch ? undefined : keys, timeZone, () => {
    const [first] = rows.rows.get();
    if (first !== undefined && !isByTouch) focus.caret(first.key, "end");
  });
}
