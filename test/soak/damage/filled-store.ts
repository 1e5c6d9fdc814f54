import { randomBytes } from "node:crypto";
import { cp, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { Accounts } from "../../../src/accounts/accounts.ts";
import type { OutlineId, Random } from "../../../src/core/node-key.ts";
import { LevelStore } from "../../../src/store/level-store.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";
import { contentsOf, type StoreContents } from "./store-contents.ts";

const USERS = ["ann", "bob", "cleo"] as const;
const SESSIONS = 3;
const EDITS = 60;
const TAIL = { updates: 10, bytes: 4_000 };

/** What the store holds once the newest log has so many bytes. */
export interface StoredState {
  readonly bytes: number;
  readonly contents: StoreContents;
  /** What led to it took several writes: some of them may be there without the others. */
  readonly isOfSnapshot: boolean;
}

/** A store whose every state is known, on the disk in two ways. */
export interface FilledStore {
  readonly outlines: readonly OutlineId[];
  /** As a crash leaves it. */
  readonly crashed: string;
  /** As an orderly close leaves it. */
  readonly closed: string;
  /** The newest log. */
  readonly log: string;
  /** One for each edit since the last start, in order; the last one is all that was stored. */
  readonly states: readonly StoredState[];
}

/** Three users with updates, snapshots and holders of client ids, in tables and in a log. */
export async function fillStore(path: string, random: Random): Promise<FilledStore> {
  const [folder, crashed, closed] = ["store", "crashed", "closed"].map((name) => join(path, name));
  if (folder === undefined || crashed === undefined || closed === undefined) throw new Error();
  const outlines: OutlineId[] = [];
  const states: StoredState[] = [];
  let log = "";
  for (let session = 1; session <= SESSIONS; session++) {
    const options = { now: Date.now, randomBytes, tail: TAIL };
    const store = await LevelStore.open(folder, options);
    if (session === 1) outlines.push(...(await addUsers(store)));
    const isLast = session === SESSIONS;
    if (isLast) log = await newestLogIn(folder);
    for (let edit = 0; edit < EDITS; edit++) {
      // The last write is to be one: what a crash may have cut off.
      const isOfSnapshot = await editSomething(store, outlines, random, edit < EDITS - 1);
      if (!isLast) continue;
      const contents = await contentsOf(store, outlines);
      const { size: bytes } = await stat(join(folder, log));
      states.push({ bytes, contents, isOfSnapshot });
    }
    if (isLast) await cp(folder, crashed, { recursive: true });
    await store.close();
  }
  await cp(folder, closed, { recursive: true });
  return { outlines, crashed, closed, log, states };
}

/** What the files are compared with that nobody has cut. */
export function wholeOf({ states }: FilledStore): StoreContents {
  const last = states.at(-1);
  if (last === undefined) throw new Error("a filled store has a state");
  return last.contents;
}

async function newestLogIn(folder: string): Promise<string> {
  const logs = (await readdir(folder)).filter((name) => name.endsWith(".log"));
  const newest = logs.toSorted().at(-1);
  if (newest === undefined) throw new Error("a store has a log");
  return newest;
}

function accountsOf({ accounts }: LevelStore): Accounts {
  return new Accounts({ store: accounts, now: Date.now, randomBytes, random: Math.random });
}

async function addUsers(store: LevelStore): Promise<readonly OutlineId[]> {
  const outlines: OutlineId[] = [];
  for (const user of USERS) {
    const added = await accountsOf(store).addUser(user);
    if (added.kind === "added") outlines.push(added.user.outline);
  }
  return outlines;
}

/** @returns whether it was a snapshot */
async function editSomething(
  store: LevelStore,
  outlines: readonly OutlineId[],
  random: Random,
  maySnapshot: boolean,
): Promise<boolean> {
  const outline = oneOf(random, outlines);
  const { head } = await store.log.load(outline);
  const draw = random();
  if (draw < 0.06) {
    const user = oneOf(
      random,
      (await store.accounts.users()).map(({ id }) => id),
    );
    await accountsOf(store).createKey(user, { name: `key ${integerBelow(random, 1000)}` });
    return false;
  }
  if (draw < 0.14 && head > 5 && maySnapshot) {
    // What compresses, and what does not.
    const chunks = [Buffer.from(`${outline} up to ${head} `.repeat(40)), randomBytes(3_000)];
    const [stateVector, annex] = [Buffer.from(`vector ${head}`), Buffer.from(`annex ${head}`)];
    const seq = head - integerBelow(random, 4);
    return store.log.saveSnapshot(outline, { seq, chunks, stateVector, annex });
  }
  const count = 1 + integerBelow(random, 3);
  const updates = Array.from({ length: count }, (_, index) =>
    Buffer.from(`${outline} ${head + 1 + index} ${"x".repeat(integerBelow(random, 600))}`),
  );
  const holder = { kind: "server" } as const;
  const bindings = draw < 0.3 ? [{ client: 65_536 + integerBelow(random, 50), holder }] : [];
  await store.log.append(outline, { updates, bindings });
  return false;
}
