import { readFile } from "node:fs/promises";

/** Where Linux says what this process may have. */
const LIMITS_OF_PROCESS = "/proc/self/limits";

/**
 * How many files and connections the system lets this process have open at one time; undefined where
 * that can't be told, or any number.
 */
export async function readMostOpenFiles(path = LIMITS_OF_PROCESS): Promise<number | undefined> {
  const text = await readFile(path, "utf8").catch(() => "");
  const most = /^Max open files\s+(\d+)\s/m.exec(text)?.[1];
  return most === undefined ? undefined : Number(most);
}
