import { execFile, execFileSync } from "node:child_process";
import { copyFile, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Of util-linux and e2fsprogs; where they are not, no disk is made. */
const LOSETUP = "losetup";
const MKFS = "mkfs.ext4";

/** Room for all that is written between 100 cuts; the file takes only what is used. */
const BYTES = 128 * 1024 * 1024;
const MAX_COPIES = 50;

/** Why no file can be mounted as a disk here; undefined when one can. */
export function obstacleToLoopDisks(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    return "only root on Linux can mount a file as a disk";
  }
  try {
    execFileSync(LOSETUP, ["--find"], { stdio: "pipe" });
    execFileSync(MKFS, ["-V"], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    return `no file can be mounted as a disk: ${String(error)}`;
  }
}

/** A file that is mounted as a disk with a file system of its own. */
export class LoopDisk {
  readonly image: string;
  readonly mountPoint: string;

  /** A new one, empty. */
  static async make(path: string): Promise<LoopDisk> {
    await mkdir(path, { recursive: true });
    const image = join(path, "disk.img");
    const file = await open(image, "w");
    await file.truncate(BYTES);
    await file.close();
    await run(MKFS, ["-q", "-F", image]);
    return LoopDisk.#mount(path, image);
  }

  static async #mount(path: string, image: string): Promise<LoopDisk> {
    const mountPoint = join(path, "mounted");
    await mkdir(mountPoint);
    // The loop device goes when it is unmounted.
    await run("mount", ["-o", "loop", image, mountPoint]);
    return new LoopDisk(image, mountPoint);
  }

  private constructor(image: string, mountPoint: string) {
    this.image = image;
    this.mountPoint = mountPoint;
  }

  /**
   * The disk as it would be found after the power was cut now: with what has reached it, and without
   * what the system only keeps in memory. Whoever writes to it must be stopped.
   */
  async afterPowerCut(path: string): Promise<LoopDisk> {
    await mkdir(path, { recursive: true });
    const copy = join(path, "disk.img");
    for (let count = 0; count < MAX_COPIES; count++) {
      await copyFile(this.image, copy);
      // Unchanged behind the copy: so it is of one moment.
      if ((await readFile(copy)).equals(await readFile(this.image))) {
        return LoopDisk.#mount(path, copy);
      }
    }
    throw new Error("the disk is never at rest");
  }

  /** Unmounts it, and removes the file. */
  async remove(): Promise<void> {
    await run("umount", [this.mountPoint]);
    await rm(this.image);
  }
}
