import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Random } from "../../../src/core/node-key.ts";
import { startBuiltServer, startComposedServer } from "./composition.ts";
import { addUsers, Population } from "./population.ts";
import { differenceOf, type TreeNode } from "./outline-tree.ts";
import { readBack } from "./read-back.ts";

/** Behind the removal of what the first snapshot has replaced, which is left to the next start. */
const LAST_WRITES_OF_SNAPSHOT = 6;

/** A data folder of which everything is known. */
export interface KnownFolder {
  /** As a crash left it, in the middle of a compaction. */
  readonly crashed: string;
  /** As an orderly stop left it. */
  readonly closed: string;
  /** By API key, what is in the outline. */
  readonly trees: ReadonlyMap<string, readonly TreeNode[]>;
}

/** Makes one in a folder for files. */
export async function makeKnownFolder(path: string, random: Random): Promise<KnownFolder> {
  const [data, crashed, closed] = ["data", "crashed", "closed"].map((name) => join(path, name));
  if (data === undefined || crashed === undefined || closed === undefined) throw new Error();
  const keys = await addUsers(data);
  const dying = await startComposedServer(data, {
    compactsOften: true,
    death: { write: LAST_WRITES_OF_SNAPSHOT, moment: "after" },
  });
  const population = await Population.settle(dying.url, keys, random);
  dying.send("SIGUSR2");
  const [refusal] = await population.workUntilEnd(dying);
  if (refusal !== undefined) throw new Error(refusal);
  await cp(data, crashed, { recursive: true });
  const server = await startBuiltServer(data);
  const trees = new Map<string, readonly TreeNode[]>();
  for (const key of keys) trees.set(key, (await readBack(server.url, key)).trees);
  await server.stop("SIGTERM");
  await cp(data, closed, { recursive: true });
  await rm(data, { recursive: true });
  return { crashed, closed, trees };
}

/** What a server shows that is not as it was, in words. */
export async function changesIn(url: string, { trees }: KnownFolder): Promise<readonly string[]> {
  const changes: string[] = [];
  const top = { key: "top", name: "", note: null, completed: false };
  for (const [key, expected] of trees) {
    const found = await readBack(url, key).catch((error: unknown) => String(error));
    const change =
      typeof found === "string"
        ? found
        : differenceOf({ ...top, children: expected }, { ...top, children: found.trees });
    if (change !== undefined) changes.push(change);
  }
  return changes;
}
