import { mkdtemp, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../src/store/make-folder.ts";

test("a folder is made with those that it is in, for its owner alone", async () => {
  const folder = await mkdtemp(join(tmpdir(), "folder-"));
  const deep = join(folder, "a", "b", "c");
  await Promise.all([makeFolder(deep), makeFolder(join(folder, "a", "b", "d")), makeFolder(deep)]);
  for (const made of [deep, join(folder, "a")]) {
    expect((await stat(made)).mode & 0o777).toBe(0o700);
  }
  await symlink(deep, join(folder, "link"));
  await makeFolder(join(folder, "link"));
});

test("what can't be a folder is said, and ends", async () => {
  const folder = await mkdtemp(join(tmpdir(), "folder-"));
  await writeFile(join(folder, "file"), "");
  await symlink(join(folder, "nowhere"), join(folder, "dangling"));
  for (const path of ["/proc/no/folder", join(folder, "file"), join(folder, "file", "below")]) {
    await expect(makeFolder(path)).rejects.toThrow(`The folder "${path}" can't be used`);
  }
  await expect(makeFolder(join(folder, "dangling"))).rejects.toThrow("can't be used");
});
