import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/**
 * Writes a file, for its owner only: under another name until it is whole, so that no half a file takes
 * the place of an old one. That name can't be guessed and must be free, so that nobody else who may
 * write into the folder can put a link there. What is no file stays: a device would be gone for all, and
 * what is written into a pipe is read by whoever has put it there.
 */
export async function writeWhole(file: string, text: Iterable<string>): Promise<void> {
  const there = await stat(file).catch(() => undefined);
  if (there?.isFile() === false) throw new Error("it is no file (standard output is -)");
  const unfinished = `${file}.${randomBytes(8).toString("hex")}.part`;
  try {
    // Made by this call, or it fails: what is there already, a link too, is never followed.
    const stream = createWriteStream(unfinished, { flags: "wx", mode: 0o600, flush: true });
    await pipeline(Readable.from(text), stream);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
