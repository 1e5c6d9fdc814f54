import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Random } from "../../src/core/node-key.ts";
import { integerBelow, oneOf, seededRandom } from "../support/seeded-random.ts";
import { DamagedStores } from "./damage/damaged-store.ts";
import { fillStore, type FilledStore } from "./damage/filled-store.ts";
import { isAsBefore, silentLosses } from "./damage/judge-damage.ts";
import { REFUSED } from "./damage/store-contents.ts";
import { isEnoughOf, type SoakRow } from "./soak-row.ts";

interface Flip {
  readonly file: string;
  readonly at: number;
  readonly bit: number;
}

/** LevelDB ends the process at some bits of a table: at most so many in a hundred. */
const MOST_ABORTS_PERCENT = 5;
/** What LevelDB's log is read in: what is in the last one may be taken for a torn end. */
const BLOCK_BYTES = 32 * 1024;

/** One bit is flipped in one file of a store that was closed, or that a crash has left. */
export const bitFlipRow: SoakRow = {
  name: "bit-flip",
  fault: "a bit flips in any file of the store; then the store is repaired",
  goal: "0 silently wrong contents: served right, refused with a sentence, or mended with a word of it",
  unit: "flips",
  full: 1_000,
  short: 60,
  budgetMs: 30 * 60_000,
  controls: { "checksums-not-verified": "records are read as they are" },
  async run({ amount, seed, control, goesOn }) {
    const isTrusting = control !== undefined;
    const path = await mkdtemp(join(tmpdir(), "outline-flip-"));
    const random = seededRandom(seed);
    const failures: string[] = [];
    const figures: Record<string, number> = {
      "starts that served": 0,
      "starts that were refused": 0,
      "stores that were mended": 0,
      "outlines served right": 0,
      "outlines refused by name": 0,
      "processes that LevelDB ended": 0,
    };
    const count = (name: string): void => void (figures[name] = (figures[name] ?? 0) + 1);
    const stores = new DamagedStores();
    let vanished = 0;
    let done = 0;
    try {
      const filled = await fillStore(path, random);
      const { outlines } = filled;
      for (; done < amount && !isEnoughOf(failures, control) && goesOn(done); done++) {
        const isCrashed = done % 2 === 1;
        const folder = join(path, "copy", "store");
        await rm(join(folder, ".."), { recursive: true, force: true });
        await cp(isCrashed ? filled.crashed : filled.closed, folder, { recursive: true });
        const flip = await flipBit(folder, filled, random);
        const { file, at, bit } = flip;
        count(`flips in ${file.replace(/-?\d+/, "*")}`);
        const where = `seed ${seed}, ${isCrashed ? "crashed" : "closed"}, bit ${bit} of byte ${at} of ${file}`;
        const mayBeTorn = isCrashed && isNearEnd(filled, flip);
        let isTold = false;
        for (const what of ["open", "repair"] as const) {
          const outcome = await stores.try({ what, folder, outlines, isTrusting });
          if (outcome.kind === "aborted") {
            count("processes that LevelDB ended");
            count(`ended while it should ${what}`);
            continue;
          }
          if (outcome.kind === "failed") {
            failures.push(`${where}: ${what}: ${outcome.message}`);
            continue;
          }
          if (outcome.kind === "refused") {
            if (what === "open") count("starts that were refused");
            const isSentence = outcome.message.includes('run "outline repair"');
            if (what === "repair" || !isSentence)
              failures.push(`${where}: ${what}: ${outcome.message}`);
            continue;
          }
          // What a start was told of is not damaged any more.
          isTold ||= outcome.isToldOf;
          const losses = silentLosses({ ...outcome, isToldOf: isTold }, filled, () => vanished++);
          const isTorn = mayBeTorn && isAsBefore(outcome, filled);
          if (!isTorn) failures.push(...losses.map((loss) => `${where}: ${what}: ${loss}`));
          if (isTorn && losses.length > 0) count("taken for a torn end");
          if (what === "open") count("starts that served");
          if (outcome.repaired !== undefined) count("stores that were mended");
          for (const content of Object.values(outcome.contents.outlines)) {
            count(content === REFUSED ? "outlines refused by name" : "outlines served right");
          }
        }
      }
    } finally {
      await stores.close();
      await rm(path, { recursive: true, force: true });
    }
    figures["users, keys and holders that vanished"] = vanished;
    const aborts = figures["processes that LevelDB ended"] ?? 0;
    if (aborts * 100 > done * MOST_ABORTS_PERCENT + 100) {
      failures.push(`LevelDB ended the process ${aborts} times in ${done} flips`);
    }
    for (const [name, times] of Object.entries(figures)) {
      const isWanted = !/^(processes|users)/.test(name);
      if (isWanted && times === 0 && failures.length === 0)
        failures.push(`nothing was proved: no ${name}`);
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

/** Whether LevelDB may take it for the end of a write that a crash has cut off, which is no damage. */
function isNearEnd({ log, states }: FilledStore, { file, at }: Flip): boolean {
  const size = states.at(-1)?.bytes ?? 0;
  return file === log && at >= Math.floor((size - 1) / BLOCK_BYTES) * BLOCK_BYTES;
}

function startOfLastWrite({ states }: FilledStore): number {
  return states.at(-2)?.bytes ?? 0;
}
