import type { AttackerTasks } from "./attacker-tasks.ts";
import type { BystanderTasks } from "./bystander-tasks.ts";
import { TaskWorker } from "./task-worker.ts";

/** The processes of those who attack and those who are let alone, used again by one row after the other. */
class Workers {
  #attacker: TaskWorker<AttackerTasks> | undefined;
  #bystander: TaskWorker<BystanderTasks> | undefined;

  get attacker(): TaskWorker<AttackerTasks> {
    if (this.#attacker?.isRunning === true) return this.#attacker;
    this.#attacker = new TaskWorker(new URL("attacker-process.ts", import.meta.url));
    return this.#attacker;
  }

  get bystander(): TaskWorker<BystanderTasks> {
    if (this.#bystander?.isRunning === true) return this.#bystander;
    this.#bystander = new TaskWorker(new URL("bystander-process.ts", import.meta.url));
    return this.#bystander;
  }

  /**
   * Real clients have processors of their own: here they get what the server leaves. Otherwise its
   * waits would be for the clients' own work.
   */
  giveWay(): void {
    this.bystander.giveWay(5);
    this.attacker.giveWay(19);
  }

  /** What they are at is of no interest any more. */
  end(): void {
    this.#attacker?.kill();
    this.#bystander?.kill();
    this.#attacker = undefined;
    this.#bystander = undefined;
  }
}

export const workers = new Workers();
