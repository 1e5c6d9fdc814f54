import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import * as Y from "yjs";
import type { OutlineId } from "../core/node-key.ts";
import { applyStoredUpdate, applyUnfollowed } from "../core/yjs/apply-stored-update.ts";
import { type Receipt, StoreError } from "../documents/log/outline-log.ts";
import type { StoreIntake, StoreOrigin, WholeOutline, WholeUser } from "./store-move.ts";
import type { StoreProgress } from "./store-progress.ts";

/** What was moved. */
export interface MovedStore {
  readonly outlines: number;
  readonly users: number;
}

/** Of an outline, as it is stored. */
interface Print {
  /** Of the document that its records make. */
  readonly stateVector: string;
  /** SHA-256 over every record. */
  readonly contents: string;
}

/**
 * Makes a store what another one is, and reads all of it back. What an attempt that was broken off has
 * brought there already is compared and left as it is. Updates that the newest snapshot of an outline
 * holds, notes of which nodes changed, and when keys last exported, stay behind: nobody asks for them in
 * a new epoch.
 * @throws StoreError `outline_corrupt` for the first outline that can't be read as it was written
 */
export async function moveStore(
  from: StoreOrigin,
  to: StoreIntake,
  onProgress: (progress: StoreProgress) => void,
): Promise<MovedStore> {
  const outlines = await outlinesIn(from.log);
  const brought = await outlinesIn(to.log);
  for (const outline of brought) {
    // Removed since the attempt before.
    if (!outlines.has(outline)) await to.log.drop(outline);
  }
  let done = 0;
  for (const outline of outlines) {
    onProgress({ outlines: done, of: outlines.size });
    // One after the other: of a large outline there is one copy in memory at a time.
    const there = brought.has(outline) ? await printOfAttempt(to.log, outline) : undefined;
    await bring(outline, from, to, there);
    done += 1;
  }
  onProgress({ outlines: done, of: outlines.size });
  const users = await usersIn(from.accounts);
  await to.putUsers(users);
  if (!isDeepStrictEqual(users, await usersIn(to.accounts))) {
    throw new StoreError("store_corrupt", "The users in the target are not as they were written.");
  }
  await to.complete(from.epochOrdinal + 1);
  return { outlines: outlines.size, users: users.length };
}

async function bring(
  outline: OutlineId,
  from: StoreOrigin,
  to: StoreIntake,
  there: Print | undefined,
): Promise<void> {
  const print = await putUnlessThere(outline, from, to, there);
  if (print === undefined || isDeepStrictEqual(await printIn(to.log, outline), print)) return;
  throw new StoreError(
    "outline_corrupt",
    `Outline ${outline} is not in the target as it was written: look at its disk.`,
    { outline },
  );
}

/** @returns what has to be there now; undefined when it is there already */
async function putUnlessThere(
  outline: OutlineId,
  from: StoreOrigin,
  to: StoreIntake,
  there: Print | undefined,
): Promise<Print | undefined> {
  const whole = await wholeIn(from.log, outline);
  const print = printOf(whole);
  if (isDeepStrictEqual(there, print)) return undefined;
  await to.putOutline(whole);
  return print;
}

async function outlinesIn(log: StoreOrigin["log"]): Promise<ReadonlySet<OutlineId>> {
  const found = new Set<OutlineId>();
  for await (const outline of log.outlines()) found.add(outline);
  return found;
}

async function wholeIn(log: StoreOrigin["log"], outline: OutlineId): Promise<WholeOutline> {
  const loaded = await log.load(outline);
  const receipts: Receipt[] = [];
  for (const place of await log.receipts(outline)) {
    const answer = await log.receipt(outline, place);
    if (answer !== undefined) receipts.push({ ...place, answer });
  }
  return { outline, loaded, receipts };
}

async function usersIn(accounts: StoreOrigin["accounts"]): Promise<readonly WholeUser[]> {
  const users: WholeUser[] = [];
  for (const user of await accounts.users()) {
    const keys = await accounts.keysOf(user.id);
    const sessions = await accounts.sessionsOf(user.id);
    const whole = { user, keys, sessions, webhooks: await accounts.webhooksOf(user.outline) };
    // A field without a value is none, as in a record.
    users.push(JSON.parse(JSON.stringify(whole)) as WholeUser);
  }
  return users;
}

async function printIn(log: StoreOrigin["log"], outline: OutlineId): Promise<Print> {
  return printOf(await wholeIn(log, outline));
}

/** Undefined for what can't be read: it is brought anew. */
async function printOfAttempt(
  log: StoreOrigin["log"],
  outline: OutlineId,
): Promise<Print | undefined> {
  try {
    return await printIn(log, outline);
  } catch (error) {
    if (error instanceof StoreError && error.code === "outline_corrupt") return undefined;
    throw error;
  }
}

function printOf({ outline, loaded, receipts }: WholeOutline): Print {
  const { head, snapshot, updates, bindings, lost = new Map() } = loaded;
  const hash = createHash("sha256");
  const add = (what: readonly unknown[], bytes: Uint8Array = new Uint8Array()): void => {
    hash.update(`${JSON.stringify([...what, bytes.byteLength])}\n`).update(bytes);
  };
  add(["outline", head, snapshot?.seq ?? 0, Math.ceil(snapshot?.memoryBytes ?? -1)]);
  if (snapshot !== undefined) {
    add(["state vector"], snapshot.stateVector);
    add(["annex"], snapshot.annex);
    for (const chunk of snapshot.chunks) add(["chunk"], chunk);
  }
  for (const { seq, update } of updates) add(["update", seq], update);
  for (const [client, holder] of inOrder(bindings)) {
    add(["binding", client, holder.kind, "keyId" in holder ? holder.keyId : null]);
  }
  for (const [client, clock] of inOrder(lost)) add(["lost", client, clock]);
  const sorted = receipts.toSorted(
    (one, other) => one.at - other.at || (one.id < other.id ? -1 : 1),
  );
  for (const { id, at, bytes, answer } of sorted) add(["receipt", id, at, bytes], answer);
  return { stateVector: stateVectorOf(outline, loaded), contents: hash.digest("hex") };
}

function inOrder<T>(byClient: ReadonlyMap<number, T>): readonly (readonly [number, T])[] {
  return [...byClient].toSorted(([one], [other]) => one - other);
}

/** @throws StoreError `outline_corrupt` when Yjs can't read what is stored */
function stateVectorOf(outline: OutlineId, { snapshot, updates }: WholeOutline["loaded"]): string {
  const doc = new Y.Doc();
  try {
    for (const chunk of snapshot?.chunks ?? []) applyStoredUpdate(doc, chunk);
    for (const { update } of updates) applyUnfollowed(doc, update);
    return Buffer.from(Y.encodeStateVector(doc)).toString("hex");
  } catch (cause) {
    throw new StoreError(
      "outline_corrupt",
      `Outline ${outline} can't be read: outline check says what is wrong.`,
      { outline, cause },
    );
  } finally {
    doc.destroy();
  }
}
