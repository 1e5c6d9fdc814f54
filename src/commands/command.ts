import type { AdminChannel } from "../admin/admin-channel.ts";
import type { Config, OptionName } from "../config.ts";

/** Where a command writes: results on `out`, everything for the person who waits on `err`. */
export interface CommandOutput {
  readonly out: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly err: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** A flag of one command, beside the options that it shares with the server. */
interface CommandFlag {
  readonly meaning: string;
  /** What stands for the value in help; a flag without one is a switch. */
  readonly value?: string;
}

export interface CommandContext extends CommandOutput {
  readonly config: Config;
  /** One for each of the command's arguments. */
  readonly arguments: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The running server of the data folder, or the store itself; closed by the caller of `run`. */
  channel(): Promise<AdminChannel>;
}

/** To make a store where there is none, to work on the one that is there, or to leave that as it is. */
export type StoreNeed = "begin" | "use" | "read";

export interface Command {
  /** One word or two. */
  readonly name: string;
  /** Names of the arguments, all of which have to be given. */
  readonly arguments: readonly string[];
  readonly summary: string;
  /** The service's options that matter to it. */
  readonly options: readonly OptionName[];
  readonly flags?: Readonly<Record<string, CommandFlag>>;
  /** For what it opens the store; unless it is said, to `use` it. */
  readonly need?: StoreNeed;
  /** @returns the exit code: 0, or 1 when it was refused or found something wrong */
  run(context: CommandContext): Promise<number>;
}

/** The command was called wrongly: exit code 2. The message is a sentence. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command can't do what it was asked for: exit code 1. The message is a sentence. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** The value of a flag that is not a switch. */
export function flagText(context: CommandContext, name: string): string | undefined {
  const value = context.flags[name];
  return typeof value === "string" ? value : undefined;
}

export const USER_FLAG = { user: { value: "NAME", meaning: "Whose; default: me" } } as const;

/** The user that `USER_FLAG` names. */
export function userOf(context: CommandContext): string {
  return flagText(context, "user") ?? "me";
}
