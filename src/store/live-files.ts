import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import type { CloseMark } from "./close-mark.ts";
import { isMoreThanPadding, readLevelLog } from "./leveldb-log.ts";
import type { LiveFiles } from "./leveldb-manifest.ts";
import { liveFilesOf } from "./leveldb-manifest.ts";

const MANIFEST = /^MANIFEST-\d+$/;

/**
 * Which files the database in a folder consists of; when that can't be read, where it is damaged. A
 * manifest that a crash has cut short is whole, as long as the log is there that it needs; one that
 * is shorter than at an orderly close is not.
 */
export async function readLiveFiles(
  folder: string,
  mark: CloseMark | undefined,
): Promise<LiveFiles | { readonly damage: string }> {
  const current = await readFile(join(folder, "CURRENT"), "utf8");
  const manifests = (await readdir(folder)).filter((file) => MANIFEST.test(file));
  const name = manifests.find((file) => `${file}\n` === current);
  if (name === undefined) return { damage: "CURRENT names no manifest that is there" };
  return readManifest(folder, name, mark);
}

/** The same when `CURRENT` is lost: by the newest manifest. Undefined when it can't be read. */
export async function guessLiveFiles(
  folder: string,
  mark: CloseMark | undefined,
): Promise<LiveFiles | undefined> {
  const named = await readLiveFiles(folder, mark).catch(() => undefined);
  if (named !== undefined && !("damage" in named)) return named;
  const newest = (await readdir(folder))
    .filter((file) => MANIFEST.test(file))
    .toSorted()
    .at(-1);
  if (newest === undefined) return undefined;
  const live = await readManifest(folder, newest, mark);
  return "damage" in live ? undefined : live;
}

async function readManifest(
  folder: string,
  name: string,
  mark: CloseMark | undefined,
): Promise<LiveFiles | { readonly damage: string }> {
  const content = await readFile(join(folder, name));
  const { records, damagedAt, unread } = readLevelLog(content);
  if (damagedAt !== undefined) return { damage: `${name} is damaged at byte ${damagedAt}` };
  const isCut = unread.some(isMoreThanPadding) || content.byteLength < (mark?.files[name] ?? 0);
  if (mark !== undefined && isCut) return { damage: `${name} is damaged at its end` };
  const live = liveFilesOf(records);
  if (live === undefined) return { damage: `${name} lacks something, or is of another version` };
  // The first manifest of all is older than the first log.
  if (live.firstLog === 0) return live;
  const logs = (await readdir(folder)).map((file) => /^(\d+)\.log$/.exec(file)?.[1]);
  // A log is removed when a later entry needs it no more: then that entry is lost.
  if (logs.some((digits) => Number(digits) === live.firstLog)) return live;
  return { damage: `${name} needs a log that is gone` };
}
