import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../src/core/node-key.ts";
import type { Documents } from "../../src/documents/documents.ts";
import type { SyncDocuments } from "../../src/sync/sync-document.ts";
import { oneOf, seededRandom } from "../support/seeded-random.ts";
import { waitUntil } from "./failing-store/wait-until.ts";
import { type DayService, openDayService } from "./long-day/day-service.ts";
import { heldMiB, leftovers } from "./long-day/kept-objects.ts";
import { type Counts, type Leave, nextVisit } from "./long-day/visits.ts";
import type { SoakRow, SoakTask } from "./soak-row.ts";

const USERS = 200;
/** How many come in each sixth of an hour. */
const VISITS = 12;
const SIXTH_MS = 10 * 60_000;
/** Short enough for answers to come between two heartbeats. */
const STEP_MS = 7_000;
/** As long as an outline may stay in memory when nobody uses it, and more. */
const ALL_UNLOADED_MS = 7 * 60_000;
/** From as many hours on their medians say whether there is a trend. */
const HOURS_FOR_A_TREND = 12;
const MOST_GROWTH_MIB = 0.5;

/** Users come, write and go, in simulated time; each hour everybody is gone for a moment. */
export const longDayRow: SoakRow = {
  name: "long-day",
  fault: "24 simulated hours of 200 users coming and going, after as many before",
  goal: "nothing is kept of who has gone, and the memory is flat",
  unit: "hours",
  full: 24,
  short: 1,
  budgetMs: 60 * 60_000,
  controls: { "keeps-rooms": "whoever follows an outline is never forgotten" },
  run: (task) => spendDays(task),
};

async function spendDays({ amount, seed, control, goesOn }: SoakTask) {
  const day = await openDayService(USERS, control === "keeps-rooms" ? unforgetting : asTheyAre);
  const random = seededRandom(seed);
  const counts: Counts = {};
  const failures: string[] = [];
  const heldEachHour: number[] = [];
  try {
    let warmUpHours = amount < HOURS_FOR_A_TREND ? 1 : amount;
    // What is kept is found after any hour.
    if (control !== undefined) warmUpHours = 0;
    for (let hour = 0; hour < warmUpHours; hour++) await spendHour(day, random, counts);
    for (let hour = 0; hour < amount && goesOn(hour) && failures.length === 0; hour++) {
      await spendHour(day, random, counts);
      failures.push(...(await leftovers()).map((what) => `after hour ${hour}: ${what}`));
      heldEachHour.push(heldMiB());
    }
  } finally {
    await day.close();
  }
  const quarter = Math.floor(heldEachHour.length / 4);
  const earlyMiB = median(heldEachHour.slice(quarter, 2 * quarter));
  const lateMiB = median(heldEachHour.slice(-quarter));
  if (heldEachHour.length >= HOURS_FOR_A_TREND && lateMiB > earlyMiB + MOST_GROWTH_MIB) {
    failures.push(`memory grew from ${earlyMiB} to ${lateMiB} MiB`);
  }
  for (const what of ["extended", "stock", "requests", "revoked", "failedSignIns", "rateLimited"]) {
    if (failures.length === 0 && (counts[what] ?? 0) === 0) failures.push(`nothing ${what}`);
  }
  return {
    done: heldEachHour.length,
    failures: failures.map((failure) => `seed ${seed}: ${failure}`),
    figures: {
      ...counts,
      earlyMiB: rounded(earlyMiB),
      lateMiB: rounded(lateMiB),
      lowestMiB: rounded(Math.min(...heldEachHour)),
      highestMiB: rounded(Math.max(...heldEachHour)),
    },
  };
}

async function spendHour(day: DayService, random: Random, counts: Counts): Promise<void> {
  let staying: readonly Leave[] = [];
  for (let elapsedMs = 0; elapsedMs < 60 * 60_000; elapsedMs += SIXTH_MS) {
    const coming = await Promise.all(
      Array.from({ length: VISITS }, () =>
        nextVisit(random)(day, oneOf(random, day.users), random, counts),
      ),
    );
    for (const leave of staying) leave();
    // Some stay over their outlines' being unloaded, and hear of what others write meanwhile.
    staying = coming.filter((_, index) => index % 5 === 0);
    for (const [index, leave] of coming.entries()) if (index % 5 !== 0) leave();
    await pass(day, SIXTH_MS);
  }
  for (const leave of staying) leave();
  await waitUntil(() => day.sync.sessions() === 0, "everybody has gone");
  for (;;) {
    await pass(day, ALL_UNLOADED_MS);
    if (day.documents.stats().open === 0) return;
  }
}

/** Lets time pass, with turns for answers to arrive. */
async function pass({ clock, sync }: DayService, ms: number): Promise<void> {
  const stepMs = sync.sessions() === 0 ? SIXTH_MS / 10 : STEP_MS;
  for (let passed = 0; passed < ms; passed += stepMs) {
    clock.advance(stepMs);
    await delay(1);
  }
}

function asTheyAre(documents: Documents): SyncDocuments {
  return documents;
}

function unforgetting(documents: Documents): SyncDocuments {
  return {
    open: (id) => documents.open(id),
    unopened: (id, isWanted) => documents.unopened(id, isWanted),
    subscribe(id, listener) {
      documents.subscribe(id, listener);
      return () => undefined;
    },
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function rounded(figure: number): number {
  return Math.round(figure * 100) / 100;
}
