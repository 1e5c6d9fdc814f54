import { cp, mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../support/seeded-random.ts";
import { DamagedStores } from "./damage/damaged-store.ts";
import { fillStore, type FilledStore } from "./damage/filled-store.ts";
import { silentLosses } from "./damage/judge-damage.ts";
import { differencesOf } from "./damage/store-contents.ts";
import { isEnoughOf, type SoakRow } from "./soak-row.ts";

/**
 * The newest log of a store, cut at places all over it. After a crash only the tail is cut that was
 * never on the disk: what is before the cut is there, exactly. After an orderly close all was on the
 * disk: the start is refused, and a repair says that something is lost.
 */
export const logCutRow: SoakRow = {
  name: "log-cut",
  fault: "the newest log file is cut off at a place, after a crash and after an orderly close",
  goal: "after a crash what is before the cut is there; after a close no start, and a repair that says what is lost",
  unit: "places",
  full: 4_096,
  short: 40,
  budgetMs: 60 * 60_000,
  controls: { "forgets-the-close": "a start does not know that the store was closed" },
  async run({ amount, seed, control, goesOn }) {
    const isForgetful = control !== undefined;
    const path = await mkdtemp(join(tmpdir(), "outline-cut-"));
    const failures: string[] = [];
    const figures = {
      "bytes of the log": 0,
      "starts after a crash": 0,
      "starts that were refused": 0,
      "stores that were mended": 0,
    };
    const stores = new DamagedStores();
    let done = 0;
    try {
      const filled = await fillStore(path, seededRandom(seed));
      const { outlines } = filled;
      const size = filled.states.at(-1)?.bytes ?? 0;
      figures["bytes of the log"] = size;
      for (; done < amount && !isEnoughOf(failures, control) && goesOn(done); done++) {
        const at = Math.floor((done * size) / amount);
        const folder = join(path, "copy", "store");
        const fail = (what: string): void => {
          failures.push(`seed ${seed}, cut at byte ${at} of ${size}: ${what}`);
        };
        const task = { folder, outlines, isTrusting: false };

        await cutCopy(filled, filled.crashed, at, folder);
        const crashed = await stores.try({ ...task, what: "open" });
        figures["starts after a crash"]++;
        if (crashed.kind !== "opened") fail(`after a crash it is ${crashed.kind}`);
        else {
          const expected = statesAt(filled, at);
          const differences = expected.map((each) =>
            differencesOf(crashed.contents, each.contents),
          );
          const isOne = differences.some((each) => each.length === 0);
          if (!isOne) fail(`after a crash: ${differences.flat().join("; ")}`);
          if (crashed.isToldOf) fail("after a crash a torn end is taken for damage");
        }

        await cutCopy(filled, filled.closed, at, folder);
        if (isForgetful) await rm(join(folder, "CLOSED"));
        const closed = await stores.try({ ...task, what: "open" });
        if (closed.kind === "opened") {
          for (const loss of silentLosses(closed, filled, () => undefined))
            fail(`after a close: ${loss}`);
        } else if (closed.kind === "aborted") fail("LevelDB ended the process");
        else figures["starts that were refused"]++;
        const repaired = await stores.try({ ...task, what: "repair" });
        if (repaired.kind !== "opened") fail(`after a close its repair is ${repaired.kind}`);
        else {
          for (const loss of silentLosses(repaired, filled, () => undefined))
            fail(`after its repair: ${loss}`);
          if (repaired.repaired !== undefined) figures["stores that were mended"]++;
        }
      }
    } finally {
      await stores.close();
      await rm(path, { recursive: true, force: true });
    }
    for (const [name, count] of Object.entries(figures)) {
      if (count === 0 && failures.length === 0) failures.push(`nothing was proved: no ${name}`);
    }
    return { done, failures, figures };
  },
};

async function cutCopy({ log }: FilledStore, from: string, at: number, to: string): Promise<void> {
  await rm(join(to, ".."), { recursive: true, force: true });
  await cp(from, to, { recursive: true });
  await truncate(join(to, log), at);
}

/** What may be there when so much of the log is left: an edit may be several writes. */
function statesAt({ states }: FilledStore, at: number): FilledStore["states"] {
  const next = states.findIndex(({ bytes }) => bytes > at);
  return next === -1 ? states.slice(-1) : states.slice(Math.max(0, next - 1), next + 1);
}
