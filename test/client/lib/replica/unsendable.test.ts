import { afterEach, expect, test } from "vitest";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { ROOT } from "../../../../src/core/node-key.ts";
import { metaOf, SCHEMA_VERSION } from "../../../../src/core/schema.ts";
import { MAX_TEXT_LENGTH } from "../../../../src/core/text/text-limits.ts";
import { DEFAULT_DOCUMENT_LIMITS } from "../../../../src/documents/document-limits.ts";
import { DEFAULT_SYNC_LIMITS } from "../../../../src/sync/sync-limits.ts";
import { until } from "../../../support/socket-until.ts";
import { add, names, NOWHERE, ReplicaLab, untilNames } from "./lab.ts";

let lab: ReplicaLab;

afterEach(() => lab.close());

test("[L23] a document of a newer schema is shown, and nothing in it is changed or sent", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const before = await lab.open({ store: new MemoryReplicaStore(disk) });
  const key = add(before, "from before");
  await before.saved();
  await before.close();
  const away = await lab.open({ store: new MemoryReplicaStore(disk), url: NOWHERE });
  add(away, "offline");
  await away.close();

  const newer = await lab.open();
  await newer.caughtUp();
  await lab.write(({ doc }) => metaOf(doc).set("v", SCHEMA_VERSION + 1));

  const replica = await lab.open({ store: new MemoryReplicaStore(disk) });
  await until(() => replica.status.kind === "local" && replica.status.cause === "outdated");
  expect(replica.status).toMatchObject({ unsent: 1, cause: "outdated" });
  expect(replica.edits.create({ parent: ROOT, name: "no" })).toEqual({ kind: "not_found" });
  expect(replica.edits.type(key, "name", { at: 0, remove: 1, insert: "" })).toEqual({
    kind: "not_found",
  });
  expect(replica.edits.text(key, "name")?.length).toBe("from before".length);
  expect(names(replica)).toEqual(["from before", "offline"]);
  await expect(replica.saved()).rejects.toMatchObject({ code: "outdated" });
  await replica.close();
  expect((await new MemoryReplicaStore(disk).read()).outbox).toHaveLength(1);
});

test("[L24] where the server takes only short messages, edits go in as many as it takes", async () => {
  const limits = { ...DEFAULT_SYNC_LIMITS, messageBytes: 16 * 1024 };
  lab = await ReplicaLab.start({ sync: () => ({ limits }) });
  const disk = new MemoryDisk();
  const first = await lab.open({ store: new MemoryReplicaStore(disk) });
  await first.caughtUp();
  await first.close();
  const away = await lab.open({ store: new MemoryReplicaStore(disk), url: NOWHERE });
  for (let count = 0; count < 100; count++) add(away, "x".repeat(600));
  const entry = { depth: 0, name: "y".repeat(600), layout: "bullets" } as const;
  const entries = Array.from({ length: 100 }, () => entry);
  away.edits.insert(entries, { parent: ROOT, position: "bottom" });
  await away.close();

  const back = await lab.open({ store: new MemoryReplicaStore(disk) });
  await back.saved();
  const other = await lab.open();
  await other.caughtUp();
  expect(names(other)).toEqual(names(back));
});

test("[L24] an edit that is too long for a message goes in several", async () => {
  const limits = { ...DEFAULT_SYNC_LIMITS, messageBytes: 1024 * 1024 };
  lab = await ReplicaLab.start({ sync: () => ({ limits }) });
  const lengths: number[] = [];
  const replica = await lab.open({ platform: lab.measuring(lengths) });
  await replica.caughtUp();
  add(replica, "before");
  const entry = { depth: 0, name: "x".repeat(1_000), layout: "bullets" } as const;
  const entries = Array.from({ length: 1_500 }, () => entry);
  const made = replica.edits.insert(entries, { parent: ROOT, position: "bottom" });
  expect(made.kind).toBe("created");
  add(replica, "behind");
  await replica.saved();
  expect(Math.max(...lengths)).toBeLessThan(1_000_000);
  const other = await lab.open();
  await other.caughtUp();
  expect(other.outline.size).toBe(1_502);
  expect(names(other)).toEqual(names(replica));
});

test("[L24, D67] edits whose places would take too many steps to find at once go one by one", async () => {
  lab = await ReplicaLab.start();
  const first = await lab.open();
  await first.caughtUp();
  const key = add(first, "[]");
  await first.saved();
  const written: { readonly disk: MemoryDisk; readonly client: number }[] = [];
  for (const letter of ["a", "b"]) {
    const disk = new MemoryDisk();
    const near = await lab.open({ store: new MemoryReplicaStore(disk) });
    await near.caughtUp();
    await near.close();
    const away = await lab.open({ store: new MemoryReplicaStore(disk), url: NOWHERE });
    // Each in front of the one before, all at the place at which the other device writes too.
    for (let count = 0; count < 1_000; count++) {
      away.edits.type(key, "name", { at: 1, remove: 0, insert: letter });
    }
    written.push({ disk, client: away.outline.doc.clientID });
    await away.close();
  }
  // The greater id has to be looked for behind all that came under the smaller one, for each letter.
  const refused: string[] = [];
  for (const { disk } of written.toSorted((one, other) => one.client - other.client)) {
    const platform = lab.hearing((message) => {
      if (message.kind === "refused") refused.push(message.code);
      return true;
    });
    const back = await lab.open({ store: new MemoryReplicaStore(disk), platform });
    await back.saved();
  }
  expect(refused).toContain("too_large");
  const [name = ""] = await lab.serverNames();
  expect([name.length, name.split("a").length, name.split("b").length]).toEqual([
    2_002, 1_001, 1_001,
  ]);
});

test("[L24] what the server refuses stays here, and is sent when the person has put it right", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const first = await lab.open({ store: new MemoryReplicaStore(disk) });
  await first.caughtUp();
  const key = add(first, "short");
  await first.saved();
  // Past the edits, which would refuse it.
  first.outline.editText(key, "name", (text) => text.insert(5, "x".repeat(2_500_000)));
  await first.stored();
  await until(() => first.status.kind === "local" && first.status.cause === "refused");
  add(first, "behind it");
  await first.stored();
  expect(first.status).toMatchObject({ unsent: 2, cause: "refused" });
  await expect(first.saved()).rejects.toMatchObject({ code: "refused" });
  expect(await lab.serverNames()).toEqual(["short"]);
  await first.close();

  const again = await lab.open({ store: new MemoryReplicaStore(disk) });
  await until(() => again.status.kind === "local" && again.status.cause === "refused");
  again.edits.type(key, "name", { at: 5, remove: 2_500_000, insert: "!" });
  await again.stored();
  await again.close();

  const last = await lab.open({ store: new MemoryReplicaStore(disk) });
  await until(() => last.status.kind === "saved" && last.seq > 0, "the rest to be saved");
  expect(await lab.serverNames()).toEqual(["short!", "behind it"]);
  const other = await lab.open();
  await untilNames(other, ["short!", "behind it"]);
});

test("[L24] what a full outline has no room for stays here, and is sent when there is room", async () => {
  const outline = { ...DEFAULT_DOCUMENT_LIMITS.outline, maxNodes: 3 };
  lab = await ReplicaLab.start({
    documentLimits: { outline, sweepMs: 5, purgeQuietMs: 0 },
  });
  const disk = new MemoryDisk();
  const first = await lab.open({ store: new MemoryReplicaStore(disk) });
  await first.caughtUp();
  const keys = ["a", "b", "c"].map((name) => add(first, name));
  await first.saved();
  add(first, "too many");
  await until(() => first.status.kind === "local" && first.status.cause === "full");
  await expect(first.saved()).rejects.toMatchObject({ code: "full" });
  expect([first.status, await lab.serverNames()]).toMatchObject([{ unsent: 1 }, ["a", "b", "c"]]);

  const [key] = keys;
  const { status } = await lab.service.request("DELETE", `/api/v1/nodes/${key}`);
  expect(status).toBe(200);
  let looks = 0;
  await until(() => {
    // Not before the last connection can have come to something.
    if (looks++ % 100 === 0) first.connect();
    return first.status.kind === "saved";
  });
  expect(await lab.serverNames()).toEqual(["b", "c", "too many"]);
});

test("[L95] the longest text that edits allow is saved, and one longer is not made", async () => {
  lab = await ReplicaLab.start();
  const replica = await lab.open();
  await replica.caughtUp();
  const longest = "x".repeat(MAX_TEXT_LENGTH);
  const key = add(replica, "");
  const created = replica.edits.create({ parent: ROOT, name: longest, position: "bottom" });
  const typed = replica.edits.type(key, "name", { at: 0, remove: 0, insert: longest });
  expect([created.kind, typed.kind]).toEqual(["created", "ok"]);
  expect(replica.edits.create({ parent: ROOT, name: `${longest}x` }).kind).toBe("text_too_long");
  add(replica, "behind");
  await replica.saved();
  expect((await lab.serverNames()).map((name) => name.length)).toEqual([
    MAX_TEXT_LENGTH,
    MAX_TEXT_LENGTH,
    "behind".length,
  ]);
});
