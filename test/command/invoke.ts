import { Writable } from "node:stream";
import type { AdminChannel } from "../../src/admin/admin-channel.ts";
import { COMMANDS } from "../../src/commands/commands.ts";
import { type Invocation, runCommand } from "../../src/commands/run-command.ts";

export interface Invoked {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export const NOW = Date.UTC(2026, 10, 20, 12);

/** Runs a command of the program in this process, on the given channel or one that it opens so. */
export async function invoke(
  args: readonly string[],
  channel?: AdminChannel | Invocation["openChannel"],
  environment: Readonly<Record<string, string>> = {},
): Promise<Invoked> {
  const out = new Collector();
  const err = new Collector();
  const code = await runCommand(COMMANDS, {
    out,
    err,
    arguments: args,
    environment,
    version: "1.2.3",
    now: () => NOW,
    openChannel: async (...given) => {
      if (channel === undefined) throw new Error("this command needs no channel");
      return typeof channel === "function" ? channel(...given) : channel;
    },
  });
  return { code, out: out.text, err: err.text };
}

class Collector extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
