import { execFile } from "node:child_process";
import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const SIZE = "48m";
const PIECES = [64 * 1024, 1024, 1] as const;
/** What becomes free is taken again as soon as this. */
const REFILL_MS = 5;

/** A file system of a few megabytes in memory, which can be filled to the last byte and freed. */
export class SmallDisk {
  readonly folder: string;
  #ballast: number | undefined;
  #refilling: NodeJS.Timeout | undefined;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Undefined where this process may not mount one. */
  static async mount(): Promise<SmallDisk | undefined> {
    const folder = await mkdtemp(join(tmpdir(), "outline-small-disk-"));
    try {
      await run("mount", ["-t", "tmpfs", "-o", `size=${SIZE},mode=700`, "tmpfs", folder]);
      return new SmallDisk(folder);
    } catch {
      await rm(folder, { recursive: true });
      return undefined;
    }
  }

  /** Nothing can be written from now on, but into what is left of the last page of a file. */
  fill(): void {
    this.#ballast ??= openSync(this.#path, "w");
    this.#refill(this.#ballast);
    const ballast = this.#ballast;
    this.#refilling = setInterval(() => this.#refill(ballast), REFILL_MS);
  }

  free(): void {
    if (this.#ballast === undefined) return;
    clearInterval(this.#refilling);
    closeSync(this.#ballast);
    unlinkSync(this.#path);
    this.#ballast = undefined;
  }

  async unmount(): Promise<void> {
    this.free();
    await run("umount", [this.folder]);
    await rm(this.folder, { recursive: true });
  }

  get #path(): string {
    return join(this.folder, "ballast");
  }

  #refill(ballast: number): void {
    for (const size of PIECES) {
      const piece = Buffer.alloc(size);
      try {
        while (writeSync(ballast, piece) > 0);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    }
  }
}
