import type { OutlineId } from "../../../src/core/node-key.ts";
import type { RepairedStore } from "../../../src/store/level/repair-store.ts";
import { builtProgram } from "../../support/built-program.ts";
import { TaskWorker } from "../task-worker.ts";
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

export type DamagedTasks = { readonly try: readonly [DamagedTask, DamagedOutcome] };

/** Opens damaged stores in a process of its own, which LevelDB may end; then another one begins. */
export class DamagedStores {
  #worker: TaskWorker<DamagedTasks> | undefined;

  async try(task: DamagedTask): Promise<DamagedOutcome> {
    const worker = (this.#worker ??= new TaskWorker(SCRIPT));
    try {
      return await worker.ask("try", task);
    } catch (error) {
      this.#worker = undefined;
      if (worker.ended?.endsWith("SIGABRT") === true) return { kind: "aborted" };
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#worker?.kill();
  }
}
