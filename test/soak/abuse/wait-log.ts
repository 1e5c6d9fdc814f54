import { processorMs } from "../hostile-messages/processor-time.ts";
import type { Waits } from "./bystander-tasks.ts";
import { OwnLag } from "./own-lag.ts";
import { unitMs } from "./work-unit.ts";

interface Sample {
  readonly kind: WaitKind;
  /** By the wall clock. */
  readonly waitedMs: number;
  readonly workedMs: number;
}

/** A `read` waits for nothing but the server's thread; all else may wait for the disk too. */
export type WaitKind = "read" | "write";

/** A wait that has begun: `end` takes note of it. */
export interface OpenWait {
  end(): void;
}

/** How long things took, by the wall clock and by the server's own time. */
export class WaitLog {
  readonly #serverPid: number;
  readonly #lag = new OwnLag();
  #samples: Sample[] = [];
  /** Each says how long it has taken so far. */
  readonly #open = new Set<() => Sample>();
  #failures: string[] = [];

  constructor(serverPid: number) {
    this.#serverPid = serverPid;
  }

  begin(kind: WaitKind): OpenWait {
    const since = performance.now();
    const workedBefore = processorMs(this.#serverPid);
    const lagBefore = this.#lag.ms;
    const soFar = (): Sample => {
      // While people themselves could not run they waited for nothing.
      const waitedMs = Math.max(0, performance.now() - since - (this.#lag.ms - lagBefore));
      const worked = processorMs(this.#serverPid);
      // Where the server's time can't be had, the wall clock has to do.
      const isUnknown = worked === undefined || workedBefore === undefined;
      const workedMs = isUnknown ? waitedMs : Math.min(waitedMs, worked - workedBefore);
      return { kind, waitedMs, workedMs };
    };
    this.#open.add(soFar);
    return {
      end: () => {
        this.#open.delete(soFar);
        this.#samples.push(soFar());
      },
    };
  }

  failed(failure: string): void {
    this.#failures.push(failure);
  }

  /** All since the last time; what is still waited for is in it as it is now. */
  take(): Waits {
    const samples = [...this.#samples.splice(0), ...[...this.#open].map((soFar) => soFar())];
    const sorted = samples.map(({ waitedMs }) => waitedMs).sort((one, other) => one - other);
    const at = (part: number): number => rounded(sorted[Math.floor(part * (sorted.length - 1))]);
    const reads = samples.filter(({ kind }) => kind === "read");
    const worstWorked = reads.reduce((worst, { workedMs }) => Math.max(worst, workedMs), 0);
    return {
      count: samples.length,
      medianMs: at(0.5),
      p99Ms: at(0.99),
      worstMs: at(1),
      worstUnits: rounded(worstWorked / unitMs()),
      failures: this.#failures.splice(0),
    };
  }
}

function rounded(figure = 0): number {
  return Math.round(figure * 10) / 10;
}
