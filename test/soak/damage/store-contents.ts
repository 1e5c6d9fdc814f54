import * as Y from "yjs";
import type { OutlineId } from "../../../src/core/node-key.ts";
import { type LoadedOutline, StoreError } from "../../../src/documents/log/outline-log.ts";
import type { LevelStore } from "../../../src/store/level/level-store.ts";

/** In place of what is in an outline, or of users and keys, that is refused by name. */
export const REFUSED = "refused";

/** All that a store holds, each outline as one text. */
export interface StoreContents {
  readonly outlines: Readonly<Record<OutlineId, string>>;
  /** Users and their keys. */
  readonly accounts: string;
}

export async function contentsOf(
  store: LevelStore,
  outlines: readonly OutlineId[],
): Promise<StoreContents> {
  const found: Record<OutlineId, string> = {};
  for (const outline of outlines) {
    found[outline] = await unlessRefused(
      async () => textOf(await store.log.load(outline)),
      (error) => error.code === "outline_corrupt" && error.message.includes(outline),
    );
  }
  const accounts = await unlessRefused(
    () => accountsOf(store),
    (error) => error.code === "store_corrupt" && error.message.includes("outline repair"),
  );
  return { outlines: found, accounts };
}

/** @throws when it is refused in another way than it should */
async function unlessRefused(
  read: () => Promise<string>,
  isRight: (refusal: StoreError) => boolean,
): Promise<string> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof StoreError && isRight(error)) return REFUSED;
    throw error;
  }
}

/** The lines that were written, and who holds which client id, whatever the form it is stored in. */
function textOf({ snapshot, updates, bindings }: LoadedOutline): string {
  const doc = new Y.Doc();
  for (const chunk of snapshot?.chunks ?? []) Y.applyUpdate(doc, chunk);
  for (const { update } of updates) Y.applyUpdate(doc, update);
  const holders = [...bindings].toSorted(([one], [other]) => one - other);
  return JSON.stringify({ lines: linesOf(doc).toArray(), holders });
}

export function linesOf(doc: Y.Doc): Y.Array<string> {
  return doc.getArray<string>("lines");
}

async function accountsOf({ accounts }: LevelStore): Promise<string> {
  const users = await accounts.users();
  const keys = await Promise.all(users.map(({ id }) => accounts.keysOf(id)));
  return JSON.stringify({ users, keys });
}

/** Where contents differ from others, in words; empty when they don't. */
export function differencesOf(found: StoreContents, expected: StoreContents): readonly string[] {
  const differences: string[] = [];
  for (const [outline, content] of Object.entries(expected.outlines)) {
    const other = found.outlines[outline as OutlineId] ?? "nothing";
    if (other !== content) differences.push(`${outline}: ${shown(other)} for ${shown(content)}`);
  }
  if (found.accounts !== expected.accounts) {
    differences.push(`accounts: ${shown(found.accounts)} for ${shown(expected.accounts)}`);
  }
  return differences;
}

function shown(text: string): string {
  return text.length < 60 ? text : `${text.length} letters up to ${text.slice(-50)}`;
}

/** Whether nothing is in an outline, or among users and keys, that was never there. */
export function isPartOf(found: string, whole: string): boolean {
  if (found === REFUSED || whole === REFUSED) return false;
  const [some, all] = [found, whole].map((text) => new Set(partsOf(text)));
  return [...(some ?? [])].every((part) => all?.has(part) === true);
}

/** Whether nothing of what was written into an outline is missing. */
export function hasAllLines(found: string, whole: string): boolean {
  return isPartOf(found, whole) && linesIn(found) === linesIn(whole);
}

function linesIn(text: string): string {
  const { lines } = JSON.parse(text) as { lines: unknown[] };
  return JSON.stringify(lines);
}

function partsOf(text: string): readonly string[] {
  const lists = Object.values(JSON.parse(text) as Record<string, unknown[]>);
  return lists.flat(2).map((part) => JSON.stringify(part));
}
