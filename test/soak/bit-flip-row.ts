import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Random } from "../../src/core/node-key.ts";
import { integerBelow, oneOf, seededRandom } from "../support/seeded-random.ts";
import { fillStore, type FilledStore } from "./damage/filled-store.ts";
import { openDamaged, type Opened } from "./damage/open-damaged.ts";
import { differencesOf, REFUSED } from "./damage/store-contents.ts";
import { unreportedLosses } from "./damage/unreported-losses.ts";
import { withoutChecksums } from "./damage/without-checksums.ts";
import { isEnoughOf, type SoakRow } from "./soak-row.ts";

interface Flip {
  readonly file: string;
  readonly at: number;
  readonly bit: number;
}

/** One bit is flipped in one file of a store that was closed, or that a crash has left. */
export const bitFlipRow: SoakRow = {
  name: "bit-flip",
  fault: "a bit flips in any file of the store",
  goal: "0 silently wrong contents: served right, or a clear error for that outline alone",
  unit: "flips",
  full: 1_000,
  short: 60,
  budgetMs: 30 * 60_000,
  controls: { "checksums-not-verified": "files are read as they are, and so are records" },
  async run({ amount, seed, control, goesOn }) {
    const isTrusting = control !== undefined;
    const path = await mkdtemp(join(tmpdir(), "outline-flip-"));
    const random = seededRandom(seed);
    const failures: string[] = [];
    const figures: Record<string, number> = {
      "starts that found the damage": 0,
      "starts that it made no difference to": 0,
      "incomplete writes told of": 0,
      "outlines served right": 0,
      "outlines refused by name": 0,
    };
    const count = (name: string): void => void (figures[name] = (figures[name] ?? 0) + 1);
    let done = 0;
    try {
      const filled = await fillStore(path, random);
      for (; done < amount && !isEnoughOf(failures, control) && goesOn(done); done++) {
        const isCrashed = done % 2 === 1;
        const copy = join(path, "copy", "store");
        await rm(join(copy, ".."), { recursive: true, force: true });
        await cp(isCrashed ? filled.crashed : filled.closed, copy, { recursive: true });
        const flip = await flipBit(copy, filled, random);
        count(`flips in ${flip.file.replace(/-?\d+/, "*")}`);
        const opened = await openDamaged(
          copy,
          filled.outlines,
          isTrusting ? withoutChecksums() : {},
        );
        const { file, at, bit } = flip;
        const where = `seed ${seed}, ${isCrashed ? "crashed" : "closed"}, bit ${bit} of byte ${at} of ${file}`;
        if (typeof opened === "string") {
          failures.push(`${where}: it does not open: ${opened}`);
          continue;
        }
        failures.push(...lossesOf(opened, filled, flip).map((loss) => `${where}: ${loss}`));
        if (opened.salvage !== undefined) count("starts that found the damage");
        else if (opened.tornEnd !== undefined) count("incomplete writes told of");
        else count("starts that it made no difference to");
        for (const content of opened.contents.outlines.values()) {
          count(content === REFUSED ? "outlines refused by name" : "outlines served right");
        }
      }
    } finally {
      await rm(path, { recursive: true, force: true });
    }
    for (const [name, times] of Object.entries(figures)) {
      if (times === 0 && failures.length === 0) failures.push(`nothing was proved: no ${name}`);
    }
    return { done, failures, figures };
  },
};

/** In a file that holds something; large ones are as likely as small ones. */
async function flipBit(folder: string, filled: FilledStore, random: Random): Promise<Flip> {
  const files: string[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    if (/^(LOG|LOCK)/.test(name)) continue;
    if ((await readFile(join(folder, name))).byteLength > 0) files.push(name);
  }
  const file = oneOf(random, files);
  const bytes = await readFile(join(folder, file));
  // The last write is a case of its own, and short.
  const from = file === filled.log && random() < 0.3 ? startOfLastWrite(filled) : 0;
  const at = from + integerBelow(random, bytes.byteLength - from);
  const bit = integerBelow(random, 8);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  await writeFile(join(folder, file), bytes);
  return { file, at, bit };
}

/**
 * What is wrong without a word of it. After a crash a last write that can't be read may be one that
 * was never complete: it is left out, which is told.
 */
function lossesOf(opened: Opened, filled: FilledStore, { file, at }: Flip): readonly string[] {
  const losses = unreportedLosses(opened, filled);
  const isLastWrite = file === filled.log && at >= startOfLastWrite(filled);
  const before = filled.states.at(-2)?.contents;
  if (losses.length === 0 || opened.tornEnd === undefined || !isLastWrite) return losses;
  return before === undefined ? losses : differencesOf(opened.contents, before);
}

function startOfLastWrite({ states }: FilledStore): number {
  return states.at(-2)?.bytes ?? 0;
}
