import type { Abuse } from "./abuse/abuse.ts";
import { ABUSES } from "./abuse/abuses.ts";
import { type Form, LONG_FORM, SHORT_FORM } from "./abuse/form.ts";
import { controlsOf } from "./abuse/mutant.ts";
import { withoutTurns } from "./abuse/mutants.ts";
import { Stage } from "./abuse/stage.ts";
import { isEnoughOf, type SoakResult, type SoakRow, type SoakTask } from "./soak-row.ts";

/** Those that begin with what the running server has. */
const ATTACKS = ABUSES.filter(({ preparedWith }) => preparedWith === undefined);
const SHORT_ATTACKS = ATTACKS.filter(({ name }) =>
  ["unread-bodies", "costly-names", "rings"].includes(name),
);
/** Attacks that are over sooner begin anew. */
const LASTS_MS = 10 * 60_000;
const PEOPLE = { long: 200, short: 8 };
/**
 * After so many attacks the allocator keeps more (docs/faults.md). And attackers, the server and 200
 * people share two processors: people may wait for a second, which does not break a thought yet.
 */
const ALL_ATTACKS: Form = { ...LONG_FORM, p99Ms: 1_000, residentMib: 2_048, keptMib: 1_024 };
/** What so many open outlines and those of the attackers need. */
const HEAP_MIB = 1_024;

/** Everybody works as people do while somebody tries to stop the service in every way there is. */
export const mixedLoadRow: SoakRow = {
  name: "mixed-load",
  fault:
    "200 users type, write, move, list and reconnect for ten minutes while each attack of `abuse` runs in turn",
  goal: "all users' p99 is at most a second during each attack, nothing of theirs fails or is lost, and the memory is back",
  unit: "attacks",
  full: ATTACKS.length,
  short: SHORT_ATTACKS.length,
  budgetMs: 60 * 60_000,
  controls: controlsOf(withoutTurns),
  run,
};

async function run({ amount, seed, control, goesOn }: SoakTask): Promise<SoakResult> {
  const isLong = amount >= ATTACKS.length;
  const attacks = isLong ? ATTACKS : SHORT_ATTACKS;
  const stage = await Stage.start({
    seed,
    ...(isLong && { heapMib: HEAP_MIB }),
    form: isLong ? ALL_ATTACKS : SHORT_FORM,
    people: isLong ? PEOPLE.long : PEOPLE.short,
    pace: "human",
    untilHarm: control !== undefined,
    mutant: control === undefined ? undefined : withoutTurns[control],
  });
  const figures: Record<string, number> = {};
  let done = 0;
  try {
    const quiet = await stage.quiet();
    let requests = quiet.count;
    let worstMs = 0;
    const startedAt = performance.now();
    const isTooShort = (): boolean => isLong && performance.now() - startedAt < LASTS_MS;
    while ((done < amount || isTooShort()) && goesOn(done)) {
      const abuse: Abuse | undefined = attacks[done % attacks.length];
      if (abuse === undefined || isEnoughOf(stage.failures, control)) break;
      const report = await stage.attack(abuse, isLong ? abuse.full : abuse.short);
      if (report === undefined) break;
      done++;
      const { count, p99Ms, worstMs: worstWait } = report.waits;
      requests += count;
      worstMs = Math.max(worstMs, worstWait);
      figures[`p99Ms_${abuse.name}`] = p99Ms;
    }
    const isOver = control !== undefined && stage.failures.length > 0;
    const end = isOver ? undefined : await stage.end();
    Object.assign(figures, {
      requests: requests + (end?.waits.count ?? 0),
      p99BeforeMs: quiet.p99Ms,
      worstMs,
      residentBeforeMib: Math.round(end?.before.residentMib ?? 0),
      residentAfterMib: Math.round(end?.back.memory.residentMib ?? 0),
    });
    return { done, failures: stage.failures, figures };
  } finally {
    await stage.close();
  }
}
