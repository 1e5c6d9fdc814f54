import { randomBytes } from "node:crypto";
import { cp, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import * as Y from "yjs";
import { Accounts } from "../../../src/accounts/accounts.ts";
import type { OutlineId, Random } from "../../../src/core/node-key.ts";
import { stateChunks } from "../../../src/core/yjs/state-chunks.ts";
import { LevelStore } from "../../../src/store/level/level-store.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";
import { contentsOf, linesOf, type StoreContents } from "./store-contents.ts";

const USERS = ["ann", "bob", "cleo"] as const;
const SESSIONS = 3;
const EDITS = 60;
const TAIL = { updates: 10, bytes: 4_000 };

/** What the store holds once the newest log has so many bytes. */
export interface StoredState {
  readonly bytes: number;
  readonly contents: StoreContents;
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
    const store = await LevelStore.open(folder, { now: Date.now, randomBytes, tail: TAIL });
    if (session === 1) outlines.push(...(await addUsers(store)));
    const isLast = session === SESSIONS;
    if (isLast) {
      log = await newestLogIn(folder);
      const { size: bytes } = await stat(join(folder, log));
      states.push({ bytes, contents: await contentsOf(store, outlines) });
    }
    for (let edit = 0; edit < EDITS; edit++) {
      await editSomething(store, outlines, random);
      if (!isLast) continue;
      const contents = await contentsOf(store, outlines);
      const { size: bytes } = await stat(join(folder, log));
      states.push({ bytes, contents });
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

async function editSomething(
  store: LevelStore,
  outlines: readonly OutlineId[],
  random: Random,
): Promise<void> {
  const outline = oneOf(random, outlines);
  const { head, snapshot, updates: tail } = await store.log.load(outline);
  const draw = random();
  if (draw < 0.06) {
    const users = await store.accounts.users();
    const user = oneOf(
      random,
      users.map(({ id }) => id),
    );
    await accountsOf(store).createKey(user, { name: `key ${integerBelow(random, 1000)}` });
    return;
  }
  const doc = new Y.Doc();
  for (const chunk of snapshot?.chunks ?? []) Y.applyUpdate(doc, chunk);
  if (draw < 0.14 && head > 5) {
    const seq = Math.max(snapshot?.seq ?? 0, head - integerBelow(random, 4));
    for (const each of tail) if (each.seq <= seq) Y.applyUpdate(doc, each.update);
    const [stateVector, annex] = [Y.encodeStateVector(doc), Buffer.from(`annex ${head}`)];
    const chunks = [...stateChunks(doc, new Map(), { bytes: 3_000 })];
    await store.log.saveSnapshot(outline, { seq, chunks, stateVector, annex });
    return;
  }
  for (const { update } of tail) Y.applyUpdate(doc, update);
  const updates: Uint8Array[] = [];
  doc.on("update", (update) => updates.push(update));
  // One client id is the server's, which writes on and on; others come and go.
  if (random() < 0.6) doc.clientID = 7;
  for (let count = 1 + integerBelow(random, 3); count > 0; count--) {
    // What compresses, and what does not.
    const padding = random() < 0.5 ? "x" : randomBytes(1).toString("hex");
    linesOf(doc).push([`${head} ${count} ${padding.repeat(integerBelow(random, 300))}`]);
  }
  const holder = { kind: "server" } as const;
  const bindings = draw < 0.3 ? [{ client: 65_536 + integerBelow(random, 50), holder }] : [];
  await store.log.append(outline, { updates, bindings });
}
