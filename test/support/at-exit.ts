import { rmSync } from "node:fs";

const ends: (() => void)[] = [];
const folders: string[] = [];

/**
 * Calls back when this process ends, and then removes a folder. The runner of the tests ends its
 * processes by a signal, and half a second later for good: so everything is ended first.
 */
export function atExit(end: () => void, folder: string): void {
  if (ends.length === 0) {
    process.once("SIGTERM", () => process.exit());
    process.once("exit", endAll);
  }
  ends.push(end);
  folders.push(folder);
}

function endAll(): void {
  for (const end of ends) end();
  for (const folder of folders) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // What has just been ended still writes to it.
    }
  }
}
