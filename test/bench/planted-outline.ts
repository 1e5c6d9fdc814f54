import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT, nodeIdOf, type NodeKey } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { integerBelow, seededRandom } from "../support/seeded-random.ts";
import { startService } from "../support/service.ts";
import { BenchProgram } from "./bench-program.ts";

/** A data folder with an outline of some size, and who may use it. */
export interface PlantedOutline {
  readonly data: string;
  readonly key: string;
  /** The key of another user, whose outline is empty. */
  readonly otherKey: string;
  /** Full ids: a node with 20 children, and one without any. */
  readonly listed: string;
  readonly empty: string;
}

export const LISTED = 20;

const PROGRAM = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
/** Bulk work becomes durable in one append, which may take some seconds. */
const BULK = 50_000;
const MEMORY_BYTES = 16 * 2 ** 30;

/** Makes the store that a server then serves: ten children a node, names of 30 to 60 characters. */
export async function plantOutline(data: string, nodes: number): Promise<PlantedOutline> {
  const service = await startService({ store: "level", folder: join(data, "store") });
  try {
    const { documents, accounts, key } = service;
    const principal = await accounts.authenticate(key);
    if (principal === undefined) throw new Error("the key is not valid");
    const { outline: id } = principal;
    const { key: otherKey } = await service.newUser("other");
    const planted = await documents.use(id, async (document) => {
      const special = await document.write((outline) => ({
        listed: addNode(outline, ROOT, "a node with twenty children"),
        empty: addNode(outline, ROOT, "a node for what is created"),
      }));
      await document.write((outline) => {
        for (let index = 0; index < LISTED; index++) {
          addNode(outline, special.listed, `child ${index}, with a name of usual length`);
        }
      });
      const keys: NodeKey[] = [];
      const random = seededRandom(1);
      for (let done = LISTED + 2; done < nodes; done += BULK) {
        const count = Math.min(BULK, nodes - done);
        await document.bulk((outline) => addNodes(outline, keys, count, random));
      }
      return special;
    });
    const idOf = (node: NodeKey): string => nodeIdOf(id, node);
    return { data, key, otherKey, listed: idOf(planted.listed), empty: idOf(planted.empty) };
  } finally {
    await service.close();
  }
}

/** Starts the built program on a planted folder. */
export function serveOutline({ data }: Pick<PlantedOutline, "data">): Promise<BenchProgram> {
  return BenchProgram.start([PROGRAM, "serve"], {
    OUTLINE_PORT: "0",
    OUTLINE_DATA: data,
    OUTLINE_EXPORT_LIMIT_MS: "0",
    OUTLINE_LOG_LEVEL: "warn",
    OUTLINE_MEMORY_BYTES: String(MEMORY_BYTES),
  });
}

function addNode(outline: Outline, parent: NodeKey, name: string): NodeKey {
  return outline.createPlain({ parent, position: "bottom", name: [{ insert: name }] });
}

function* addNodes(
  outline: Outline,
  keys: NodeKey[],
  count: number,
  random: () => number,
): Generator<void, void> {
  for (let index = 0; index < count; index++) {
    const words = "somebody wrote this down to think of it again some other day".slice(
      0,
      24 + integerBelow(random, 31),
    );
    const parent = keys[Math.floor(keys.length / 10) - 1] ?? ROOT;
    keys.push(addNode(outline, parent, `${keys.length} ${words}`));
    yield;
  }
}
