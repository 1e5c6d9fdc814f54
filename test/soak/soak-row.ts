/**
 * A fault and what must hold all the same, as one row of the table that `npm run soak` prints. Its
 * short form is a test.
 */
export interface SoakRow {
  /** As on the command line. */
  readonly name: string;
  /** What is done to the service. */
  readonly fault: string;
  /** What has to be reached. */
  readonly goal: string;
  /** What an amount counts. */
  readonly unit: string;
  /** How many of them in the long form. */
  readonly full: number;
  /** How many of them in `npm run test:faults`: some seconds. */
  readonly short: number;
  /** Wall time that the long form may take. A run that has not done everything by then has failed. */
  readonly budgetMs: number;
  /** The variants that are broken on purpose and must fail, by name: what each does wrong. */
  readonly controls: Readonly<Record<string, string>>;
  /** The first seed for a control that is found out too seldom for the usual one. */
  readonly controlSeeds?: Readonly<Record<string, number>>;
  /** Why it can't be run on this machine, in words; without an answer it can. */
  readonly obstacle?: () => string | undefined;
  run(task: SoakTask): Promise<SoakResult>;
}

export interface SoakTask {
  /** How many to do. */
  readonly amount: number;
  /** The same seed makes the same inputs. */
  readonly seed: number;
  /** The broken variant to run in place of the real service. */
  readonly control: string | undefined;
  /** To be called now and then. False when the time is up: then the run ends with what it has. */
  readonly goesOn: (done: number) => boolean;
}

export interface SoakResult {
  readonly done: number;
  /** What did not hold, in words, with the seed or the place; empty when the goal is reached. */
  readonly failures: readonly string[];
  /** What was counted and measured, by name; the unit is part of the name. */
  readonly figures: Readonly<Record<string, number>>;
}

/** More failures are of no use: what is broken is known by then, and of a control at the first. */
export function isEnoughOf(failures: readonly string[], control: string | undefined): boolean {
  return failures.length >= (control === undefined ? 10 : 1);
}

/** Runs a row to its end: what failed, and that it did as many as it should. */
export async function runRow(
  row: SoakRow,
  options: {
    readonly amount: number;
    readonly seed: number;
    readonly control?: string;
    readonly onProgress?: (done: number) => void;
  },
): Promise<SoakResult> {
  const { amount, seed, control, onProgress } = options;
  if (control !== undefined && row.controls[control] === undefined) {
    throw new Error(`${row.name} has no control ${control}`);
  }
  const endsAt = performance.now() + row.budgetMs;
  const result = await row.run({
    amount,
    seed,
    control,
    goesOn(done) {
      onProgress?.(done);
      return performance.now() < endsAt;
    },
  });
  // A control may stop at what it has found.
  if (result.done >= amount || result.failures.length > 0) return result;
  const failure = `the time was up after ${result.done} of ${amount} ${row.unit}`;
  return { ...result, failures: [failure] };
}

/** Where processes are killed, what a short form meets depends on the machine too. */
const MOST_TRIES = 3;

/** Whether a row notices that what it runs against is broken: one that does not proves nothing. */
export async function isFoundOut(row: SoakRow, control: string): Promise<boolean> {
  const first = row.controlSeeds?.[control] ?? 1;
  for (let tried = 0; tried < MOST_TRIES; tried++) {
    // Where an amount is that of seeds, others than before.
    const seed = first + tried * row.short;
    const { failures } = await runRow(row, { amount: row.short, seed, control });
    if (failures.length > 0) return true;
  }
  return false;
}
