import type { Timers } from "../../../../src/documents/turns/timers.ts";
import type { Agenda } from "../../simulation/agenda.ts";

interface Alarm {
  isOff: boolean;
}

/**
 * The time of one process: it may stand still, or be killed. While it stands still nothing of it
 * happens; when it wakes, its timers are due first, then what has come meanwhile, in that order.
 */
export class ProcessTime {
  readonly timers: Timers;
  readonly #agenda: Agenda;
  #state: "runs" | "stands still" | "killed" = "runs";
  #due: (() => void)[] = [];
  #arrived: (() => void)[] = [];
  /** By how much its clock that nobody sets is behind: it stands still while the machine sleeps. */
  #behindMs = 0;
  #asleepSince: number | undefined;

  constructor(agenda: Agenda) {
    this.#agenda = agenda;
    const yieldNow = (): Promise<void> =>
      new Promise((resolve) => void agenda.after(0, () => this.#happen(resolve, this.#due)));
    this.timers = {
      setTimeout: (callback, ms) => {
        const alarm: Alarm = { isOff: false };
        const ring = (): void => {
          if (!alarm.isOff) callback();
        };
        agenda.after(ms, () => this.#happen(ring, this.#due));
        return alarm;
      },
      clearTimeout: (alarm) => {
        if (alarm !== undefined) (alarm as Alarm).isOff = true;
      },
      yieldNow,
      rest: yieldNow,
    };
  }

  get isKilled(): boolean {
    return this.#state === "killed";
  }

  get runs(): boolean {
    return this.#state === "runs";
  }

  readonly elapsed = (): number => {
    const asleep = this.#asleepSince;
    const sleeping = asleep === undefined ? 0 : this.#agenda.elapsed() - asleep;
    return this.#agenda.elapsed() - this.#behindMs - sleeping;
  };

  /** Something has come to it. */
  readonly deliver = (work: () => void): void => this.#happen(work, this.#arrived);

  /** @param isAsleep with its machine, whose clock that nobody sets stands still too */
  standStill(isAsleep: boolean): void {
    if (this.#state !== "runs") return;
    this.#state = "stands still";
    if (isAsleep) this.#asleepSince = this.#agenda.elapsed();
  }

  wake(): void {
    if (this.#state !== "stands still") return;
    if (this.#asleepSince !== undefined) {
      this.#behindMs += this.#agenda.elapsed() - this.#asleepSince;
      this.#asleepSince = undefined;
    }
    this.#state = "runs";
    for (const work of [...this.#due.splice(0), ...this.#arrived.splice(0)]) {
      this.#agenda.after(0, () => this.#happen(work, this.#arrived));
    }
  }

  kill(): void {
    this.#state = "killed";
    this.#due = [];
    this.#arrived = [];
  }

  #happen(work: () => void, later: (() => void)[]): void {
    if (this.#state === "runs") work();
    else if (this.#state === "stands still") later.push(work);
  }
}
