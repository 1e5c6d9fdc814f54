import { createHash } from "node:crypto";
import type { OutlineId } from "../../../src/core/node-key.ts";
import { type LoadedOutline, StoreError } from "../../../src/documents/outline-log.ts";
import type { LevelStore } from "../../../src/store/level-store.ts";

/** In place of what is in an outline that is refused with its name. */
export const REFUSED = "refused";

/** Between what an outline holds and in which form: a snapshot stands for the updates up to it. */
const FORM = " as ";

/** All that a store holds, each outline as one text. */
export interface StoreContents {
  readonly outlines: ReadonlyMap<OutlineId, string>;
  /** Users and their keys. */
  readonly accounts: string;
}

export async function contentsOf(
  store: LevelStore,
  outlines: readonly OutlineId[],
): Promise<StoreContents> {
  const found = new Map<OutlineId, string>();
  for (const outline of outlines) found.set(outline, await contentOrRefusal(store, outline));
  return { outlines: found, accounts: await accountsOf(store) };
}

/** @throws when it is refused in another way than by its name */
async function contentOrRefusal(store: LevelStore, outline: OutlineId): Promise<string> {
  try {
    return textOf(await store.log.load(outline));
  } catch (error) {
    const isRefusal = error instanceof StoreError && error.code === "outline_corrupt";
    if (isRefusal && error.outline === outline && error.message.includes(outline)) return REFUSED;
    throw error;
  }
}

/** Of all that counts; an epoch may begin with any start. */
function textOf({ head, snapshot, updates, bindings }: LoadedOutline): string {
  const hash = createHash("sha256");
  for (const { seq, update } of updates) hash.update(`${seq} ${update.byteLength} `).update(update);
  if (snapshot !== undefined) {
    const { seq, chunks, stateVector, annex } = snapshot;
    for (const part of [stateVector, annex, ...chunks]) {
      hash.update(`${seq} ${part.byteLength} `).update(part);
    }
  }
  hash.update(JSON.stringify([...bindings].toSorted(([one], [other]) => one - other)));
  const content = `head ${head}, ${bindings.size} holders`;
  return `${content}${FORM}${updates.length} updates, ${hash.digest("hex")}`;
}

async function accountsOf({ accounts }: LevelStore): Promise<string> {
  const users = await accounts.users();
  const keys = await Promise.all(users.map(({ id }) => accounts.keysOf(id)));
  const digest = createHash("sha256")
    .update(JSON.stringify([users, keys]))
    .digest("hex");
  return `${users.length} users, ${keys.flat().length} keys, ${digest}`;
}

/** Whether two texts of stored states are of the same content, with another snapshot or none. */
export function isSameContent(one: string, other: string): boolean {
  return one.split(FORM)[0] === other.split(FORM)[0];
}

/** Where contents differ from others, in words; empty when they don't. */
export function differencesOf(found: StoreContents, expected: StoreContents): readonly string[] {
  const differences: string[] = [];
  for (const [outline, content] of expected.outlines) {
    const other = found.outlines.get(outline);
    if (other !== content) differences.push(`${outline}: ${other} in place of ${content}`);
  }
  if (found.accounts !== expected.accounts) {
    differences.push(`accounts: ${found.accounts} in place of ${expected.accounts}`);
  }
  return differences;
}
