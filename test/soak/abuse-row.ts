import type { Abuse } from "./abuse/abuse.ts";
import { ABUSES } from "./abuse/abuses.ts";
import { LONG_FORM, SHORT_FORM } from "./abuse/form.ts";
import { controlsOf } from "./abuse/mutant.ts";
import { type AttackReport, type EndReport, Stage } from "./abuse/stage.ts";
import type { SoakResult, SoakRow, SoakTask } from "./soak-row.ts";

/** One client does what it can to stop the service for the others, in one way after the other. */
export const ABUSE_ROWS: readonly SoakRow[] = ABUSES.map((abuse) => {
  const { name, fault, unit, full, short, mutants = {} } = abuse;
  return {
    name: `abuse/${name}`,
    fault,
    goal: "another user's p99 is at most 100 ms, nothing of theirs fails or is lost, and the memory is back within 60 s, at 512 MiB of heap",
    unit,
    full,
    short,
    budgetMs: 10 * 60_000,
    controls: controlsOf(mutants),
    run: (task) => run(abuse, task),
  };
});

async function run(abuse: Abuse, { amount, seed, control }: SoakTask): Promise<SoakResult> {
  const isLong = amount >= abuse.full;
  const isPrepared = abuse.preparedWith !== undefined;
  const stage = await Stage.start({
    seed,
    form: isLong ? LONG_FORM : SHORT_FORM,
    people: 1,
    pace: "steady",
    prepared: isPrepared ? { abuse, amount } : undefined,
    untilHarm: control !== undefined,
    mutant: control === undefined ? undefined : abuse.mutants?.[control],
    options: isLong ? {} : (abuse.shortOptions ?? {}),
  });
  try {
    const { p99Ms: p99BeforeMs } = await stage.quiet();
    const attack = await stage.attack(abuse, amount);
    const isOver = control !== undefined && stage.failures.length > 0;
    const end = isOver || attack === undefined ? undefined : await stage.end();
    const figures = { p99BeforeMs, ...figuresOf(attack, end) };
    return { done: amount, failures: stage.failures, figures };
  } finally {
    await stage.close();
  }
}

function figuresOf(
  attack: AttackReport | undefined,
  end: EndReport | undefined,
): Readonly<Record<string, number>> {
  const figures: Record<string, number> = {};
  if (attack !== undefined) {
    const { counts, waits, tookMs, residentPeakMib } = attack;
    for (const [name, count] of Object.entries(counts)) figures[`attack_${name}`] = count;
    Object.assign(figures, {
      attackMs: Math.round(tookMs),
      requests: waits.count,
      medianMs: waits.medianMs,
      p99Ms: waits.p99Ms,
      worstMs: waits.worstMs,
      worstUnits: waits.worstUnits,
      residentPeakMib: Math.round(residentPeakMib),
    });
  }
  if (end !== undefined) {
    const { before, back, waits } = end;
    Object.assign(figures, {
      p99AfterMs: waits.p99Ms,
      residentBeforeMib: Math.round(before.residentMib),
      residentAfterMib: Math.round(back.memory.residentMib),
      heldGrewMib: Math.round(back.memory.heldMib - before.heldMib),
      outlinesGrewMib: Math.round(back.memory.outlinesMib - before.outlinesMib),
      memoryBackMs: Math.round(back.tookMs),
    });
  }
  return figures;
}
