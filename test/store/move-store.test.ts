import { join } from "node:path";
import { expect, test } from "vitest";
import type { OutlineId } from "../../src/core/node-key.ts";
import { putLostClocks } from "../../src/store/level/lost-record.ts";
import { moveStore } from "../../src/store/move-store.ts";
import type { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { Purpose } from "../../src/store/purpose.ts";
import { StoreKeys } from "../../src/store/store-keys.ts";
import type { StoreIntake } from "../../src/store/store-move.ts";
import { usePostgres } from "../support/postgres/use-postgres.ts";
import { levelFolders, writeRecords } from "./support/level-folder.ts";
import { contentsOf, fill } from "./support/move-source.ts";

const { newFolder, open } = levelFolders();

const postgres = usePostgres();

function openDatabase(purpose: Purpose): Promise<PostgresStore> {
  return postgres.open({ purpose });
}

/** A store that has been restored once, so that an outline misses something. */
async function filledStore() {
  const folder = join(await newFolder(), "store");
  const store = await open(folder);
  const outlines = await fill(store);
  await store.close();
  const [outline] = outlines;
  if (outline === undefined) throw new Error("nothing was made");
  await writeRecords(folder, [putLostClocks(new StoreKeys(0), outline, new Map([[5, 9]]))]);
  return { folder, outlines, source: await open(folder, { purpose: { kind: "use" } }) };
}

const arriving = ({ name }: { readonly name: string }): Purpose => ({ kind: "arrive", name });
const quiet = (): void => undefined;

/** Counts what is put. */
function counted(intake: StoreIntake): { readonly intake: StoreIntake; readonly put: OutlineId[] } {
  const put: OutlineId[] = [];
  const { log, accounts } = intake;
  return {
    put,
    intake: {
      log,
      accounts,
      putOutline(whole) {
        put.push(whole.outline);
        return intake.putOutline(whole);
      },
      putUsers: (users) => intake.putUsers(users),
      complete: (ordinal) => intake.complete(ordinal),
    },
  };
}

test("[C27, P98] a move to a database and back brings every outline, user, key and session along, under a new epoch", async () => {
  const { source, outlines } = await filledStore();
  const before = await contentsOf(source);
  const database = await openDatabase(arriving(source));
  const steps: number[] = [];
  const moved = await moveStore(source, database.intake(), (at) => void steps.push(at.outlines));
  expect(moved).toEqual({ outlines: 4, users: 2 });
  expect(steps).toEqual([0, 1, 2, 3, 4]);
  await database.close();

  const leaving = await openDatabase({ kind: "use" });
  expect(await contentsOf(leaving)).toEqual(before);
  // Browsers know a store by its name.
  expect(leaving.name).toBe(source.name);
  expect(leaving.epochOrdinal).toBe(source.epochOrdinal + 1);
  const [outline = "" as OutlineId] = outlines;
  const { epoch } = await leaving.log.load(outline);
  expect(epoch).not.toBe((await source.log.load(outline)).epoch);
  expect(await leaving.verifyAll(quiet)).toEqual([]);

  const folder = join(await newFolder(), "store");
  const back = await open(folder, { purpose: arriving(leaving) });
  await moveStore(leaving, back.intake(), quiet);
  await back.close();
  const served = await open(folder);
  expect(await contentsOf(served)).toEqual(before);
  expect(served.name).toBe(source.name);
  expect(served.epochOrdinal).toBe(source.epochOrdinal + 2);
  expect(await served.verifyAll()).toEqual([]);
  // It goes on where it was.
  const term = await served.log.claim(outline);
  expect(await served.log.append(outline, { updates: [Uint8Array.of(0, 0)], term })).toBe(4);
});

test("[C28] what a move that broke off has brought is left as it is, what changed since is brought anew", async () => {
  const { source, outlines, folder } = await filledStore();
  const database = await openDatabase(arriving(source));
  const first = counted(database.intake());
  const breaking = { ...first.intake, putUsers: () => Promise.reject(new Error("killed")) };
  await expect(moveStore(source, breaking, quiet)).rejects.toThrow("killed");
  expect(first.put.toSorted()).toEqual(outlines.toSorted());
  await database.close();
  await source.close();

  // The server ran again meanwhile.
  const between = await open(folder);
  const [dropped, changed] = outlines as [OutlineId, OutlineId];
  await between.log.drop(dropped);
  await between.log.append(changed, { updates: [Uint8Array.of(0, 0)] });
  await between.close();

  const again = await open(folder, { purpose: { kind: "use" } });
  const target = await openDatabase(arriving(again));
  const second = counted(target.intake());
  await moveStore(again, second.intake, quiet);
  expect(second.put).toEqual([changed]);
  await target.close();
  expect(await contentsOf(await openDatabase({ kind: "serve" }))).toEqual(await contentsOf(again));
});

test("[C27] what is not in the target as it was written is found", async () => {
  const { source } = await filledStore();
  const database = await openDatabase(arriving(source));
  const intake = database.intake();
  const { log, accounts } = intake;
  const changing: StoreIntake = {
    log,
    accounts,
    async putOutline(whole) {
      const [last] = whole.loaded.updates.slice(-1);
      if (last === undefined) throw new Error("no updates");
      last.update[last.update.length - 1] = 1;
      await intake.putOutline({ ...whole, receipts: [] });
    },
    putUsers: (users) => intake.putUsers(users),
    complete: (ordinal) => intake.complete(ordinal),
  };
  const moving = moveStore(source, changing, quiet);
  await expect(moving).rejects.toMatchObject({ code: "outline_corrupt" });
  const forgetful = { ...counted(intake).intake, putUsers: async () => undefined };
  const withoutUsers = moveStore(source, forgetful, quiet);
  await expect(withoutUsers).rejects.toMatchObject({ code: "store_corrupt" });
  await database.close();
  await expect(openDatabase({ kind: "serve" })).rejects.toMatchObject({ code: "store_corrupt" });
});

test("[C27, C28] only what is empty, or half of the same move, is made another store", async () => {
  const { source, folder } = await filledStore();
  const other: Purpose = { kind: "arrive", name: "other" };
  const refusal = { code: "store_corrupt" };
  // In a database.
  await expect(openDatabase({ kind: "use" })).rejects.toMatchObject(refusal);
  expect(await postgres.sql("select to_regnamespace('outline_store') as made")).toEqual([
    { made: null },
  ]);
  await (await openDatabase(other)).close();
  await expect(openDatabase(arriving(source))).rejects.toMatchObject(refusal);
  await expect(openDatabase({ kind: "use" })).rejects.toMatchObject(refusal);
  const database = await openDatabase(other);
  await moveStore(source, database.intake(), quiet);
  await database.close();
  await expect(openDatabase(other)).rejects.toMatchObject(refusal);
  await expect(openDatabase(arriving(source))).rejects.toMatchObject(refusal);
  await (await openDatabase({ kind: "serve" })).close();
  // In a folder.
  const before = await contentsOf(source);
  await source.close();
  await expect(open(folder, { purpose: other })).rejects.toMatchObject(refusal);
  const half = join(await newFolder(), "store");
  await (await open(half, { purpose: other })).close();
  await expect(open(half, { purpose: arriving(source) })).rejects.toMatchObject(refusal);
  await expect(open(half)).rejects.toMatchObject(refusal);
  expect(await contentsOf(await open(folder))).toEqual(before);
});
