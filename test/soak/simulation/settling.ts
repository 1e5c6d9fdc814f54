import * as Y from "yjs";
import { ScopedOutline } from "../../../src/http/scoped-outline.ts";
import { assertEqual, assertIndex, assertSameLines } from "../../property/invariants.ts";
import type { Run } from "./device.ts";
import { renewKey } from "./faults.ts";
import type { RestAnswer } from "./server.ts";
import type { User } from "./user.ts";
import type { World } from "./world.ts";

/** How long it may take until everybody has everything once nothing goes wrong any more. */
const SETTLE_MS = 5 * 60_000;
const LOOK_EVERY_MS = 500;
/** For so long everybody has everything: what the server writes last is when things came. */
const CALM_MS = 75_000;
/** Until idle outlines are let go. */
const LEAVE_MS = 60_000;

/** Lets everybody come to the same, and checks that it is the right one. Throws when it is not. */
export async function settle(world: World): Promise<void> {
  const { agenda } = world;
  const endsAt = agenda.elapsed() + SETTLE_MS;
  let calmSince = Infinity;
  while (agenda.elapsed() - calmSince < CALM_MS) {
    await passTime(world, LOOK_EVERY_MS);
    // One that was being stopped when all was put right.
    world.startServer();
    signInAgain(world);
    const waiting = world.users.flatMap((user) => whatIsMissing(user));
    if (waiting.length > 0) calmSince = Infinity;
    else if (calmSince === Infinity) {
      // The server writes down when things came only after a while, and where an outline is open.
      for (const user of world.users) await exported(world, user);
      calmSince = agenda.elapsed();
    }
    if (agenda.elapsed() > endsAt) throw new Error(`it does not settle: ${waiting.join("; ")}`);
  }
  for (const user of world.users) await check(world, user);
}

/** Everybody leaves, and nothing of them stays in the server. */
export async function leave(world: World): Promise<void> {
  const { server, users, agenda } = world;
  if (server === undefined) throw new Error("the server runs");
  for (const { devices, pages } of users) {
    for (const page of pages) page.end(true);
    for (const device of devices) {
      for (const run of device.runs) await world.until(device.close(run));
    }
  }
  await passTime(world, LEAVE_MS);
  const left = {
    sessions: server.sync.sessions(),
    queued: server.sync.queuedBytes(),
    open: server.documents.stats().open,
    pinned: server.documents.stats().pinned,
  };
  if (Object.values(left).some((count) => count > 0)) {
    throw new Error(`something stays in the server: ${JSON.stringify(left)}`);
  }
  await world.until(server.stop());
  for (const { durable } of users) {
    const before = durable.outline;
    durable.reread();
    assertEqual(durable.outline, before, "what is read from the disk");
    agenda.note(Y.encodeStateAsUpdate(durable.doc));
  }
}

async function passTime({ agenda }: World, ms: number): Promise<void> {
  let isOver = false;
  agenda.after(ms, () => (isOver = true));
  await agenda.run(() => isOver);
}

function signInAgain(world: World): void {
  for (const user of world.users) {
    for (const device of user.devices) {
      const isOut = device.runs.some(({ replica }) => {
        const status = replica?.status;
        return status?.kind === "local" && status.cause === "signed_out";
      });
      if (isOut) void renewKey(world, user, device);
    }
  }
}

function whatIsMissing({ devices, pages, scripts, durable }: User): readonly string[] {
  const wanted = vectorOf(durable.doc);
  const missing: string[] = [];
  for (const device of devices) {
    if (!device.isOn) {
      device.open();
      missing.push(`${device.name} is off`);
    }
    for (const { replica } of device.runs) {
      const status = replica?.status;
      const isSame = replica !== undefined && vectorOf(replica.outline.doc) === wanted;
      if (status?.kind !== "saved" || !isSame) {
        missing.push(`${device.name}: ${JSON.stringify(status)}${isSame ? "" : ", differs"}`);
      }
    }
  }
  for (const page of pages) {
    if (!page.isConnected || vectorOf(page.doc) !== wanted) missing.push("a page");
  }
  if (scripts.some((script) => script.isBusy)) missing.push("a script");
  return missing;
}

async function check(world: World, user: User): Promise<void> {
  const { devices, pages, claims, durable } = user;
  const { outline } = durable;
  if (durable.problems.length > 0) throw new Error(durable.problems.join("; "));
  world.counts["states with fallen nodes"] =
    (world.counts["states with fallen nodes"] ?? 0) + durable.fallen;
  assertIndex(outline);
  assertEqual(durable.attach(), outline, "the index from scratch");
  for (const device of devices) {
    for (const run of device.runs) await checkRun(world, run, user, device.name);
  }
  for (const page of pages) assertEqual(page.outline, outline, "a page");
  const broken = claims.broken(durable);
  if (broken.length > 0) throw new Error(broken.join("; "));
  await checkApi(world, user);
}

async function checkRun(world: World, run: Run, user: User, name: string): Promise<void> {
  const { replica, store } = run;
  if (replica === undefined) throw new Error(`${name} has not opened`);
  const { durable } = user;
  assertIndex(replica.outline);
  assertEqual(replica.outline, durable.outline, name);
  const { outbox, position } = await world.until(store.read());
  if (outbox.length > 0) throw new Error(`${name} has ${outbox.length} updates in its outbox`);
  const here = { epoch: world.disk.disk.epoch, seq: durable.head };
  if (position.epoch !== here.epoch || position.seq > here.seq) {
    throw new Error(`${name} stands at ${JSON.stringify(position)} of ${JSON.stringify(here)}`);
  }
}

async function exported(
  world: World,
  { scripts: [script] }: User,
): Promise<RestAnswer | undefined> {
  return world.until(script?.ask({ operation: "exportNodes" }) ?? Promise.resolve(undefined));
}

/** What a program reads is what everybody has, to the byte. */
async function checkApi(world: World, user: User): Promise<void> {
  const answer = await exported(world, user);
  if (answer?.status !== 200) throw new Error(`export: ${JSON.stringify(answer)}`);
  const { nodes } = answer.body as { nodes: readonly unknown[] };
  const { outline } = user.durable;
  const scoped = new ScopedOutline(outline, undefined, world.agenda.now);
  const expected = [...outline.keysInOrder()].map((key) => scoped.show(key) ?? `no ${key}`);
  // What is parsed and written again is the same text.
  const shown = nodes.map((node) => JSON.stringify(node));
  assertSameLines(shown, expected, "the API's view");
}

function vectorOf(doc: Y.Doc): string {
  return [...Y.decodeStateVector(Y.encodeStateVector(doc))]
    .map(([client, clock]) => `${client} ${clock}`)
    .toSorted()
    .join();
}
