import { createHash } from "node:crypto";
import { lstat, mkdir, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AdminFailure } from "./admin-channel.ts";

/** The shortest limit of all systems that have such sockets, without the zero at the end. */
const MAX_PATH_BYTES = 103;

/**
 * Where the server of a data folder listens for the command: in the folder, or when that makes the
 * path too long, in a private folder for temporary files, named after the data folder.
 * @throws AdminFailure when somebody else has prepared that folder
 */
export async function socketPathOf(dataFolder: string): Promise<string> {
  const folder = await realpath(dataFolder);
  const path = join(folder, "admin.sock");
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return path;
  const name = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  const privateFolder = join(await realpath(tmpdir()), `outline-${name}`);
  await mkdir(privateFolder, { recursive: true, mode: 0o700 });
  const { mode, uid } = await lstat(privateFolder);
  const isPrivate = (mode & 0o170077) === 0o040000 && uid === process.getuid?.();
  if (!isPrivate) throw new AdminFailure(`The folder "${privateFolder}" belongs to somebody else.`);
  return join(privateFolder, "admin.sock");
}
