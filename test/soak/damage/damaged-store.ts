import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { OutlineId } from "../../../src/core/node-key.ts";
import type { RepairedStore } from "../../../src/store/repair-store.ts";
import { builtProgram } from "../../support/built-program.ts";
import type { StoreContents } from "./store-contents.ts";

const SCRIPT = builtProgram("damaged-store-process.ts", import.meta.url);

export interface DamagedTask {
  readonly what: "open" | "repair";
  readonly folder: string;
  readonly outlines: readonly OutlineId[];
  /** Broken on purpose: no checksum is looked at. */
  readonly isTrusting: boolean;
}

/** What came of a start, or of a repair and the start behind it. */
export type DamagedOutcome =
  | {
      readonly kind: "opened";
      readonly contents: StoreContents;
      /** Whether a loss was told of when it was opened. */
      readonly isToldOf: boolean;
      /** Undefined when nothing was mended. */
      readonly repaired: RepairedStore | undefined;
    }
  /** In one sentence. */
  | { readonly kind: "refused"; readonly message: string }
  /** With what is no answer of a store. */
  | { readonly kind: "failed"; readonly message: string }
  /** LevelDB has ended the process. */
  | { readonly kind: "aborted" };

/** Opens damaged stores in a process of its own, which LevelDB may end; then another one begins. */
export class DamagedStores {
  #child: ChildProcess | undefined;

  async try(task: DamagedTask): Promise<DamagedOutcome> {
    this.#child ??= fork(SCRIPT, {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const child = this.#child;
    const over = new AbortController();
    const { signal } = over;
    const ended = once(child, "exit", { signal }).then(([, by]) => ({ by: String(by) }));
    const answered = once(child, "message", { signal }).then(([answer]) => ({
      answer: answer as DamagedOutcome,
    }));
    child.send(task);
    const first = await Promise.race([answered, ended]);
    over.abort();
    await Promise.allSettled([answered, ended]);
    if ("answer" in first) return first.answer;
    this.#child = undefined;
    if (first.by === "SIGABRT") return { kind: "aborted" };
    throw new Error(`the process that opens the store ended by ${first.by}`);
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const ended = once(child, "exit");
    child.disconnect();
    await ended;
  }
}
