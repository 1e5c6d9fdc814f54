import { cp, mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../support/seeded-random.ts";
import { fillStore, type FilledStore } from "./damage/filled-store.ts";
import { openDamaged } from "./damage/open-damaged.ts";
import { differencesOf, REFUSED } from "./damage/store-contents.ts";
import { unreportedLosses } from "./damage/unreported-losses.ts";
import { isEnoughOf, type SoakRow } from "./soak-row.ts";

/**
 * The newest log of a store, cut at places all over it. After a crash only the tail is cut that was
 * never on the disk: what is before the cut is there, exactly, and remains of a write are told of.
 * After an orderly close all was on the disk: what a cut takes is refused by its name.
 */
export const logCutRow: SoakRow = {
  name: "log-cut",
  fault: "the newest log file is cut off at a place, after a crash and after an orderly close",
  goal: "all reopen; what is before the cut is there, what is behind it is reported",
  unit: "places",
  full: 4_096,
  short: 40,
  budgetMs: 60 * 60_000,
  controls: {
    "takes-what-it-can": "the store is opened with what can be read, and says nothing",
  },
  async run({ amount, seed, control, goesOn }) {
    const isSilent = control !== undefined;
    const path = await mkdtemp(join(tmpdir(), "outline-cut-"));
    const failures: string[] = [];
    const figures = {
      "bytes of the log": 0,
      "starts after a crash": 0,
      "incomplete writes told of": 0,
      "starts after a close": 0,
      "outlines served after a close": 0,
      "outlines refused by name": 0,
    };
    let done = 0;
    try {
      const filled = await fillStore(path, seededRandom(seed));
      const size = filled.states.at(-1)?.bytes ?? 0;
      figures["bytes of the log"] = size;
      for (; done < amount && !isEnoughOf(failures, control) && goesOn(done); done++) {
        const at = Math.floor((done * size) / amount);
        const copy = join(path, "copy", "store");
        const fail = (what: string): void => {
          failures.push(`seed ${seed}, cut at byte ${at} of ${size}: ${what}`);
        };

        await cutCopy(filled, filled.crashed, at, copy);
        const crashed = await openDamaged(copy, filled.outlines);
        figures["starts after a crash"]++;
        if (typeof crashed === "string") {
          fail(`after a crash it does not open: ${crashed}`);
        } else {
          const expected = statesAt(filled, at).map(({ contents }) => contents);
          const differences = expected.map((each) => differencesOf(crashed.contents, each));
          const isOne = differences.some((each) => each.length === 0);
          if (!isOne && expected.length > 0)
            fail(`after a crash: ${differences.flat().join("; ")}`);
          if (crashed.tornEnd !== undefined) figures["incomplete writes told of"]++;
          else if (isWithinWrite(filled, at)) fail("an incomplete write is not told of");
        }

        await cutCopy(filled, filled.closed, at, copy);
        if (isSilent) await rm(join(copy, "CLOSED"));
        const closed = await openDamaged(
          copy,
          filled.outlines,
          isSilent ? { checkFiles: false } : {},
        );
        figures["starts after a close"]++;
        if (typeof closed === "string") {
          fail(`after a close it does not open: ${closed}`);
        } else {
          for (const loss of unreportedLosses(closed, filled)) fail(`after a close: ${loss}`);
          for (const content of closed.contents.outlines.values()) {
            if (content === REFUSED) figures["outlines refused by name"]++;
            else figures["outlines served after a close"]++;
          }
        }
      }
    } finally {
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

/** What may be there when so much of the log is left; before the first of them nothing is known. */
function statesAt({ states }: FilledStore, at: number): FilledStore["states"] {
  const next = states.findIndex(({ bytes }) => bytes > at);
  const last = next === -1 ? states.length - 1 : next - 1;
  const mayBeNext = next !== -1 && states[next]?.isOfSnapshot === true;
  return states.slice(Math.max(0, last), mayBeNext ? next + 1 : Math.max(0, last + 1));
}

/** Whether the cut goes through a write, and not between two of them. */
function isWithinWrite({ states }: FilledStore, at: number): boolean {
  const next = states.findIndex(({ bytes }) => bytes > at);
  const before = states[next - 1];
  // Blocks end in up to six bytes of zeros.
  return before !== undefined && states[next]?.isOfSnapshot === false && at > before.bytes + 6;
}
