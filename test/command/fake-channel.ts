import type { AdminChannel, Outcome, Progress } from "../../src/admin/admin-channel.ts";
import type { AdminOperation } from "../../src/admin/admin-operations.ts";
import type { OutlineEntry } from "../../src/formats/outline-entry.ts";

export interface Asked {
  readonly operation: AdminOperation;
  readonly params: unknown;
  readonly input: readonly OutlineEntry[];
}

export interface Answer {
  readonly items?: readonly unknown[];
  readonly progress?: readonly Progress[];
  readonly outcome?: Outcome;
  readonly failure?: Error;
}

/** Answers as it is told, and remembers what it was asked. */
export class FakeChannel implements AdminChannel {
  readonly asked: Asked[] = [];
  closed = 0;
  readonly #answers: Partial<Record<AdminOperation, Answer>>;

  constructor(answers: Partial<Record<AdminOperation, Answer>>) {
    this.#answers = answers;
  }

  readonly run: AdminChannel["run"] = async (operation, params, options = {}) => {
    const input: OutlineEntry[] = [];
    for await (const entry of options.input ?? []) input.push(entry);
    this.asked.push({ operation, params, input });
    const answer = this.#answers[operation];
    if (answer === undefined) throw new Error(`nobody expected ${operation}`);
    for (const progress of answer.progress ?? []) options.onProgress?.(progress);
    // A test says the items of the operation it expects.
    for (const item of answer.items ?? []) await options.onItem?.(item as never);
    if (answer.failure !== undefined) throw answer.failure;
    return answer.outcome ?? { kind: "done" };
  };

  close(): Promise<void> {
    this.closed++;
    return Promise.resolve();
  }
}
