import { SingleBar } from "cli-progress";
import type { RunOptions } from "../admin/admin-channel.ts";
import type { AdminOperation, ItemOf, ParamsOf } from "../admin/admin-operations.ts";
import { type CommandContext, CommandError } from "./command.ts";

export interface LongOperation<Item> extends Omit<RunOptions<Item>, "onProgress"> {
  /** What the progress bar says; without it there is none. */
  readonly label?: string;
}

/** Runs an operation and shows how far it is. @throws CommandError when it is refused */
export async function runOperation<O extends AdminOperation>(
  context: CommandContext,
  operation: O,
  params: ParamsOf<O>,
  { label, ...options }: LongOperation<ItemOf<O>> = {},
): Promise<void> {
  const channel = await context.channel();
  const progress = label === undefined ? undefined : new ProgressBar(context, label);
  try {
    const outcome = await channel.run(operation, params, {
      ...options,
      onProgress: ({ done, total }) => progress?.update(done, total),
    });
    if (outcome.kind === "refused") throw new CommandError(outcome.reason);
  } finally {
    progress?.stop();
  }
}

/** A bar on a terminal, from the first news on; nothing where nobody watches. */
export class ProgressBar {
  readonly #label: string;
  readonly #bar: SingleBar | undefined;
  #isStarted = false;

  constructor({ err }: Pick<CommandContext, "err">, label: string) {
    this.#label = label;
    if (err.isTTY !== true) return;
    this.#bar = new SingleBar({
      stream: err,
      format: "{label} [{bar}] {percentage}% | {value} of {total} | {eta_formatted} left",
      // Would have to be taken back, for which a command that is broken off has no time.
      hideCursor: false,
      linewrap: true,
      clearOnComplete: true,
      stopOnComplete: false,
    });
  }

  update(done: number, total: number): void {
    if (!this.#isStarted) this.#bar?.start(total, done, { label: this.#label });
    this.#isStarted = true;
    this.#bar?.setTotal(total);
    this.#bar?.update(done);
  }

  stop(): void {
    if (this.#isStarted) this.#bar?.stop();
  }
}
