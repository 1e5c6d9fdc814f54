import { parseArgs, type ParseArgsConfig } from "node:util";
import { type AdminChannel, AdminFailure } from "../admin/admin-channel.ts";
import { type Config, OPTION_DESCRIPTIONS, readConfig } from "../config.ts";
import { StoreError } from "../documents/log/outline-log.ts";
import { UnavailableError } from "../documents/log/unavailable-error.ts";
import { StartError } from "../start-error.ts";
import {
  type Command,
  type CommandContext,
  CommandError,
  type CommandOutput,
  type StoreNeed,
  UsageError,
} from "./command.ts";
import { commandHelp, generalHelp } from "./help.ts";
import { printable } from "./printable.ts";

export interface Invocation extends CommandOutput {
  /** Without the names of the program and the script. */
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Reaches the server of the data folder, or else its store. */
  readonly openChannel: (config: Config, need: StoreNeed) => Promise<AdminChannel>;
}

/**
 * Runs the command that the arguments name. What can go wrong in the world is told in a sentence.
 * @returns the exit code: 0 done, 1 refused or failed, 2 called wrongly
 */
export async function runCommand(
  commands: readonly Command[],
  invocation: Invocation,
): Promise<number> {
  const { out, err, version } = invocation;
  const [first = ""] = invocation.arguments;
  if (["help", "--help", "-h"].includes(first)) {
    out.write(generalHelp(commands));
    return 0;
  }
  if (first === "--version") {
    out.write(`${version}\n`);
    return 0;
  }
  const command = commandNamed(commands, invocation.arguments);
  if (command === undefined) {
    err.write(first === "" ? generalHelp(commands) : unknownCommand(commands, first));
    return 2;
  }
  try {
    return await runNamed(command, invocation);
  } catch (error) {
    if (error instanceof UsageError) {
      err.write(`${printable(error.message)} See: outline ${command.name} --help\n`);
      return 2;
    }
    if (!isForPeople(error)) throw error;
    const sentence = error instanceof UnavailableError ? error.sentence : error.message;
    err.write(`${printable(sentence)}\n`);
    return 1;
  }
}

function commandNamed(
  commands: readonly Command[],
  [first = "", second = ""]: readonly string[],
): Command | undefined {
  const named = (wanted: string) => commands.find(({ name }) => name === wanted);
  return named(`${first} ${second}`) ?? named(first);
}

function unknownCommand(commands: readonly Command[], first: string): string {
  const related = commands.map(({ name }) => name).filter((name) => name.startsWith(`${first} `));
  const hint = related.length === 0 ? "" : ` Did you mean ${related.join(", ")}?`;
  return `There is no command "${first}".${hint} See: outline --help\n`;
}

async function runNamed(command: Command, invocation: Invocation): Promise<number> {
  const words = command.name.split(" ").length;
  const { flags, positionals } = parsed(command, invocation.arguments.slice(words));
  if (flags["help"] === true) {
    invocation.out.write(commandHelp(command));
    return 0;
  }
  if (positionals.length !== command.arguments.length) {
    const usage = [command.name, ...command.arguments].join(" ");
    throw new UsageError(`It is called as: outline ${usage}.`);
  }
  const read = readConfig(flags, invocation.environment);
  if (read.kind === "bad") throw new CommandError(read.sentences.join("\n"));

  const { out, err, now, openChannel } = invocation;
  let opened: Promise<AdminChannel> | undefined;
  const context: CommandContext = {
    out,
    err,
    now,
    config: read.config,
    arguments: positionals,
    flags,
    channel: () => (opened ??= openChannel(read.config, command.need ?? "use")),
  };
  try {
    return await command.run(context);
  } finally {
    // When opening failed, that is what `run` has thrown.
    await opened?.then(
      (channel) => channel.close(),
      () => undefined,
    );
  }
}

function parsed(command: Command, args: readonly string[]) {
  const options: NonNullable<ParseArgsConfig["options"]> = {
    help: { type: "boolean", short: "h" },
  };
  for (const { name, flag } of OPTION_DESCRIPTIONS) {
    if (flag !== undefined && command.options.includes(name)) options[flag] = { type: "string" };
  }
  for (const [name, { value }] of Object.entries(command.flags ?? {})) {
    options[name] = { type: value === undefined ? "boolean" : "string" };
  }
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { flags: values as Record<string, string | boolean | undefined>, positionals };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (!code.startsWith("ERR_PARSE_ARGS")) throw error;
    throw new UsageError(`${error instanceof Error ? error.message : code}.`.replace("..", "."));
  }
}

/** Whether an error is about the world and says what happened, and not a mistake of ours. */
function isForPeople(error: unknown): error is Error {
  return (
    error instanceof CommandError ||
    error instanceof StartError ||
    error instanceof StoreError ||
    error instanceof UnavailableError ||
    error instanceof AdminFailure ||
    (error instanceof Error && "syscall" in error)
  );
}
