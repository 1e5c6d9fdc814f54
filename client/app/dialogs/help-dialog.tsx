import { COMMAND_GROUPS, type Command, type CommandGroup } from "../commands/command.ts";
import { QUERY_OPERATORS } from "../../lib/search/query-operators.ts";
import { isTouch } from "../state/is-touch.ts";
import { Dialog } from "./dialog.tsx";
import type { DialogProps } from "./dialog-props.ts";

const TITLES: Readonly<Record<CommandGroup, string>> = {
  write: "Writing",
  move: "Moving",
  select: "Selecting",
  look: "Looking",
  find: "Finding",
  format: "Formatting",
  outline: "The outline",
};

const BY_TOUCH: readonly HelpLine[] = [
  ["Look at nothing but a line", "tap its dot"],
  ["Fold what is below a line", "tap the arrow at its end"],
  ["Indent", "swipe to the right"],
  ["Outdent", "swipe to the left"],
  ["Complete or reopen", "swipe far to the right"],
  ["Move a line", "hold its dot, then drag"],
  ["All that can be done with a line", "hold its dot"],
  ["Select several lines", "hold a dot, “Select lines”, tap another line"],
  ["Note, zoom, move, undo", "the bar above the keyboard"],
  ["Capture into the inbox", "the round +"],
];

const WHILE_WRITING: readonly HelpLine[] = [
  ["Link to another line", "[["],
  ["Tag, completed from those there are", "#"],
  ["Mention somebody", "@"],
  ["What a line can become, and dates in words", "/"],
  ["Bold, italic, struck out, code", "**b** *i* ~~s~~ `c`"],
  ["Heading, to-do, quote or code, at the start", "# or - [ ] or > or ```"],
  ["Link to an address", "[words](address)"],
];

/** Every command with its key, and what the search understands: made of the things themselves. */
export function HelpDialog({ workspace, close }: DialogProps<"help">) {
  const { commands } = workspace;
  const { all } = commands;
  return (
    <Dialog label="Help" size="large" isToRead close={close}>
      {isTouch() && (
        <div class="help">
          <HelpGroup title="By touch" lines={BY_TOUCH} />
        </div>
      )}
      <div class="help">
        <HelpGroup title="While you write" lines={WHILE_WRITING} />
        {COMMAND_GROUPS.map((group) => (
          <HelpGroup
            key={group}
            title={isTouch() ? `${TITLES[group]}, with a keyboard` : TITLES[group]}
            lines={all
              .filter((command) => command.group === group && (!isTouch() || keyOf(command) !== ""))
              .map((command): HelpLine => [command.label, keyOf(command)])}
          />
        ))}
        <HelpGroup
          title="In the search box"
          lines={QUERY_OPERATORS.map(({ example, meaning }): HelpLine => [meaning, example])}
        />
      </div>
    </Dialog>
  );

  function keyOf(command: Command): string {
    return commands.keyLabels(command).join(" or ");
  }
}

/** What it does, and what to type. */
type HelpLine = readonly [what: string, how: string];

function HelpGroup({
  title,
  lines,
}: {
  readonly title: string;
  readonly lines: readonly HelpLine[];
}) {
  if (lines.length === 0) return null;
  return (
    <section class="help-group">
      <h3>{title}</h3>
      <dl>
        {lines.map(([what, how]) => (
          <div key={`${what} ${how}`} class="help-line">
            <dt>{what}</dt>
            <dd>{how !== "" && <kbd class="key">{how}</kbd>}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
