import { OPTION_DESCRIPTIONS, type OptionDescription } from "../config.ts";
import type { Command } from "./command.ts";

/** What `--help` prints without a command. */
export function generalHelp(commands: readonly Command[]): string {
  const rows = commands.map((command) => [usageOf(command), command.summary] as const);
  return `Usage: outline COMMAND [OPTIONS]

Commands:
${table([...rows, ["help", "Shows this"]])}

\`outline COMMAND --help\` tells more of one command. A command other than serve works on the data
folder's running server when there is one, else on the folder itself.

Options of serve, also read from the environment:
${optionTable(OPTION_DESCRIPTIONS)}
`;
}

/** What `--help` prints for a command. */
export function commandHelp(command: Command): string {
  const flags = Object.entries(command.flags ?? {}).map(
    ([name, { value, meaning }]) =>
      [value === undefined ? `--${name}` : `--${name} ${value}`, meaning] as const,
  );
  const options = OPTION_DESCRIPTIONS.filter(({ name }) => command.options.includes(name));
  return `Usage: outline ${usageOf(command)} [OPTIONS]

${command.summary}.
${flags.length === 0 ? "" : `\nOptions:\n${table(flags)}\n`}${
    options.length === 0 ? "" : `\nOptions of the service:\n${optionTable(options)}\n`
  }`;
}

function usageOf(command: Command): string {
  return [command.name, ...command.arguments].join(" ");
}

function optionTable(options: readonly OptionDescription[]): string {
  return table(
    options.map(({ flag, variable, meaning, defaultText }) => [
      flag === undefined ? variable : `--${flag}, ${variable}`,
      defaultText === "" ? meaning : `${meaning} [${defaultText}]`,
    ]),
  );
}

const LEFT_WIDTH = 34;
const LINE_WIDTH = 100;

/** Two columns; what is too long for the first has a line of its own. */
function table(rows: readonly (readonly [string, string])[]): string {
  return rows
    .map(([left, right]) => {
      const lines = wrapped(right, LINE_WIDTH - LEFT_WIDTH);
      const isLong = left.length > LEFT_WIDTH - 4;
      const column = lines.join(`\n${" ".repeat(LEFT_WIDTH)}`);
      return isLong
        ? `  ${left}\n${" ".repeat(LEFT_WIDTH)}${column}`
        : `  ${left.padEnd(LEFT_WIDTH - 2)}${column}`;
    })
    .join("\n");
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

/** The table of options in the README. */
export function optionsMarkdown(): string {
  const rows = OPTION_DESCRIPTIONS.map(({ flag, variable, defaultText, meaning }) => {
    const flagText = flag === undefined ? "" : `\`--${flag}\``;
    const defaultShown = defaultText === "" ? "" : `\`${defaultText}\``;
    return `| \`${variable}\` | ${flagText} | ${defaultShown} | ${meaning} |`;
  });
  return ["| Variable | Flag | Default | Meaning |", "|---|---|---|---|", ...rows].join("\n");
}
