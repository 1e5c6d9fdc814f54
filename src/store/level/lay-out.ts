import { constants, copyFile, mkdir, readdir, rm, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isThere } from "./store-folder.ts";

const DATA_FILE = /^(CURRENT|MANIFEST-\d+|\d+\.log)$/;
/** LevelDB writes it once, and then only reads it or removes its name. */
const TABLE = /^\d+\.(ldb|sst)$/;
/** By it LevelDB knows that a database is in use. */
const LOCK = "LOCK";

/**
 * Lays a database out once more, for LevelDB to work on, which writes even where it is only to read. The
 * tables are links, so that it takes little room, on whatever disk. Needs nothing but to read the first
 * folder; where that can be written, it counts as in use as long as the second one is open.
 */
export async function layOut(folder: string, apart: string): Promise<void> {
  await rm(apart, { recursive: true, force: true });
  await mkdir(apart, { mode: 0o700 });
  for (const file of await readdir(folder)) {
    const [from, to] = [resolve(folder, file), join(apart, file)];
    if (TABLE.test(file) || (file === LOCK && (await isThere(from, constants.W_OK)))) {
      // Not everywhere may everybody make links.
      await symlink(from, to).catch(() => copyFile(from, to));
    } else if (DATA_FILE.test(file)) {
      await copyFile(from, to);
    }
  }
}
