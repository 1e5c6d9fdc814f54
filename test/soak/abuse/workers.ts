import { builtProgram } from "../../support/built-program.ts";
import type { AttackerTasks } from "./attacker-tasks.ts";
import type { BystanderTasks } from "./bystander-tasks.ts";
import { TaskWorker } from "../task-worker.ts";

/** The processes of those who attack and those who are let alone, used again by one row after the other. */
class Workers {
  #attacker: TaskWorker<AttackerTasks> | undefined;
  #bystander: TaskWorker<BystanderTasks> | undefined;
  #givesWay = false;

  get attacker(): TaskWorker<AttackerTasks> {
    if (this.#attacker !== undefined && this.#attacker.ended === undefined) return this.#attacker;
    this.#attacker = new TaskWorker(builtProgram("attacker-process.ts", import.meta.url));
    if (this.#givesWay) this.#attacker.giveWay(19);
    return this.#attacker;
  }

  get bystander(): TaskWorker<BystanderTasks> {
    if (this.#bystander !== undefined && this.#bystander.ended === undefined)
      return this.#bystander;
    this.#bystander = new TaskWorker(builtProgram("bystander-process.ts", import.meta.url));
    return this.#bystander;
  }

  /**
   * Real clients have processors of their own: here they get what the server leaves. Otherwise its
   * waits would be for the clients' own work.
   */
  giveWay(): void {
    this.#givesWay = true;
    this.bystander.giveWay(5);
    this.attacker.giveWay(19);
  }

  /** What they are at is of no interest any more. */
  end(): void {
    this.endAttacker();
    void this.#bystander?.kill();
    this.#bystander = undefined;
  }

  endAttacker(): void {
    void this.#attacker?.kill();
    this.#attacker = undefined;
  }
}

export const workers = new Workers();
