import type { Command, CommandTarget } from "../commands/command.ts";
import { targetOf } from "../commands/target.ts";
import type { Workspace } from "../state/workspace.ts";
import { Dialog } from "./dialog.tsx";
import type { DialogProps } from "./dialog-props.ts";
import { Finder, type Found } from "./finder.tsx";
import { fuzzyScore, fuzzyWords } from "./fuzzy-score.ts";

/** Runs any command by a part of its name, on what was focused before. */
export function PaletteDialog({ workspace, close, run }: DialogProps<"palette">) {
  const target = targetOf(workspace.focus.state.get());
  const enabled = enabledCommands(workspace, target);
  return (
    <Dialog label="Commands" hasHeading={false} close={close}>
      <Finder
        label="Command"
        placeholder="What would you like to do?"
        find={(query) => linesOf(workspace, enabled, query)}
        whenEmpty="There is no such command, or not for what is focused."
        onTake={(id) => {
          const command = workspace.commands.get(id);
          if (command !== undefined) run(command);
        }}
      />
    </Dialog>
  );
}

function enabledCommands(workspace: Workspace, target: CommandTarget): readonly Command[] {
  return workspace.commands.all.filter(
    (command) =>
      command.id !== "page.palette" &&
      command.isOfWriting !== true &&
      command.isEnabled(workspace, target),
  );
}

function linesOf(
  { commands }: Workspace,
  enabled: readonly Command[],
  query: string,
): readonly Found[] {
  const words = fuzzyWords(query);
  return enabled
    .map((command) => ({
      command,
      score: fuzzyScore(`${command.label} ${command.words ?? ""}`.toLowerCase(), words),
    }))
    .filter(({ score }) => score !== undefined)
    .toSorted((a, b) => (words.length === 0 ? 0 : (b.score ?? 0) - (a.score ?? 0)))
    .map(({ command }) => {
      const detail = commands.keyLabel(command);
      return { id: command.id, title: command.label, ...(detail !== undefined && { detail }) };
    });
}
