import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isLayout } from "../../src/core/node/layout.ts";
import {
  CALENDAR,
  dayKey,
  INBOX,
  monthKey,
  type NodeKey,
  yearKey,
} from "../../src/core/node-key.ts";
import { DEFAULT_DOCUMENT_LIMITS } from "../../src/documents/document-limits.ts";
import type { OutlineEntry } from "../../src/formats/outline-entry.ts";
import { arbitraryEntries } from "../formats/arbitrary-entries.ts";
import { entriesOf } from "../formats/entries-of.ts";
import { NOW_SEC, outlineOf, startAdmin } from "./service-parts.ts";

let service: ReturnType<typeof startAdmin>;

beforeEach(async () => {
  service = startAdmin({ maxImportNodes: 50 });
  await service.accounts.addUser("me");
});

afterEach(() => service.close());

/** What an outline has, in document order. */
async function entriesIn(user = "me"): Promise<readonly OutlineEntry[]> {
  return entriesOf(await outlineOf(service.admin, user));
}

function importInto(user: string, input: Iterable<OutlineEntry>, parent?: string) {
  const params = parent === undefined ? { user } : { user, parent };
  return service.admin.run("import", params, { input });
}

function plain(depth: number, name: string, more: Partial<OutlineEntry> = {}): OutlineEntry {
  return { depth, name, layout: "bullets", ...more };
}

/** A month of the calendar, which brings all its days. */
function ofMonth(month: number): OutlineEntry {
  return plain(0, "m", { key: monthKey(2000 + month, 1) });
}

describe("import", () => {
  test.each([
    ["nodes", { maxNodes: 4 }, [plain(0, "c"), plain(1, "d"), plain(1, "e")], "4 nodes"],
    ["memory", { maxBytes: 2 ** 20 }, [plain(0, "x".repeat(2 ** 20))], "1 MiB"],
    ["days", { maxBytes: 2 ** 20 }, [...Array(24).keys()].map(ofMonth), "1 MiB"],
  ] as const)(
    "[Q61] of more %s than fit is refused with numbers, before anything is added",
    async (_what, limits, input, shown) => {
      await service.close();
      const outline = { ...DEFAULT_DOCUMENT_LIMITS.outline, ...limits };
      service = startAdmin({ limits: { outline } });
      await service.accounts.addUser("me");
      await importInto("me", [plain(0, "a"), plain(0, "b")]);
      const before = await entriesIn();
      const outcome = await importInto("me", input);
      expect(outcome).toEqual({
        kind: "refused",
        reason: expect.stringContaining(`at most ${shown}`) as unknown,
      });
      expect(await entriesIn()).toEqual(before);
    },
  );

  test("[C4] into an outline whose user is removed meanwhile says so", async () => {
    await service.close();
    service = startAdmin();
    await service.accounts.addUser("anna");
    // Far more slices than a removal has steps.
    const entries = Array.from({ length: 10_000 }, (_, count) => plain(0, `${count}`));
    let removal: Promise<unknown> | undefined;
    const outcome = await service.admin.run(
      "import",
      { user: "anna" },
      {
        input: entries,
        onProgress: () => {
          removal ??= service.admin.run("user-remove", { user: "anna" });
        },
      },
    );
    expect(outcome).toEqual({
      kind: "refused",
      reason:
        'The outline of "anna" was thrown away meanwhile, as when a user is removed. Nothing was imported.',
    });
    expect(await removal).toEqual({ kind: "done" });
  });

  test("[C4] whose store fails says that it may be there all the same", async () => {
    await service.close();
    let isFailing = false;
    service = startAdmin({
      beforeCommit: () => (isFailing ? Promise.reject(new Error("no answer")) : Promise.resolve()),
    });
    await service.accounts.addUser("me");
    isFailing = true;
    const outcome = await importInto("me", [plain(0, "a")]);
    isFailing = false;
    expect(outcome).toEqual({
      kind: "refused",
      reason: expect.stringContaining(
        "It may have been imported: look before you do it again.",
      ) as unknown,
    });
  });

  test("[C6] an outline that is empty is afterwards what was imported", async () => {
    let user = 0;
    await fc.assert(
      fc.asyncProperty(arbitraryEntries, async (entries) => {
        const name = `user${user++}`;
        await service.accounts.addUser(name);
        expect(await importInto(name, entries)).toEqual({ kind: "done" });
        // A node was never modified or completed before it was there, nor completed after its last change.
        const expected = entries.map((entry) => {
          const { createdAt = 0, modifiedAt = 0, completedAt } = entry;
          if (typeof completedAt !== "number") {
            return { ...entry, modifiedAt: Math.max(createdAt, modifiedAt) };
          }
          const done = Math.max(completedAt, createdAt);
          return { ...entry, completedAt: done, modifiedAt: Math.max(modifiedAt, done) };
        });
        const actual = (await entriesIn(name)).map((entry) => {
          const { completedAt, modifiedAt = 0 } = entry;
          const done = typeof completedAt === "number" ? completedAt : 0;
          return { ...entry, modifiedAt: Math.max(modifiedAt, done) };
        });
        expect(actual).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  test("[X42, N43] line break tags are breaks, and layouts of other programs stay", async () => {
    const [layout = "bullets"] = ["board"].filter((word) => isLayout(word));
    await importInto("me", [
      plain(0, " <br>a <br> b<br> ", { note: "c<br/>d", layout }),
      plain(0, "e<br>f", { layout: "code-block" }),
    ]);
    expect(await entriesIn()).toMatchObject([
      { name: "a b", note: "c\nd", layout: "board" },
      { name: "e\nf", layout: "code-block" },
    ]);
  });

  test("[C6] inbox and calendar come with their keys, names, notes and times", async () => {
    const times = { createdAt: 1_700_000_000, modifiedAt: 1_700_000_005 };
    const entries = [
      plain(0, "before", { ...times, key: "aaaaaaaaaaaa" as NodeKey }),
      plain(0, "My <b>inbox</b>", { ...times, key: INBOX, note: "n", completedAt: 1_700_000_004 }),
      plain(1, "task", { ...times, key: "bbbbbbbbbbbb" as NodeKey }),
      plain(0, "📆 Calendar", { ...times, key: CALENDAR }),
      plain(1, "2026", { ...times, key: yearKey(2026) }),
      plain(2, "November", { ...times, key: monthKey(2026, 11) }),
      plain(3, "the day", { ...times, key: dayKey(2026, 11, 20), layout: "h1" }),
      plain(4, "lunch", { ...times, key: "cccccccccccc" as NodeKey }),
      plain(3, "an empty day", { ...times, key: dayKey(2026, 11, 21) }),
      plain(1, "2025", { ...times, key: yearKey(2025) }),
    ];
    await importInto("me", entries);
    expect(await entriesIn()).toEqual(entries);
  });

  test("[C6] what is below inbox and calendar in the file goes below those that are there", async () => {
    await importInto("me", [plain(0, "Inbox", { key: INBOX }), plain(1, "first")]);
    await importInto("me", [plain(0, "In-Tray", { key: INBOX }), plain(1, "second")], "inbox");
    expect((await entriesIn()).map(({ depth, name, key }) => [depth, name, key === INBOX])).toEqual(
      [
        [0, "Inbox", true],
        [1, "first", false],
        [1, "second", false],
      ],
    );
  });

  test("[C6] a key that a node has or had is not given again", async () => {
    const key = "aaaaaaaaaaaa" as NodeKey;
    await importInto("me", [plain(0, "one", { key })]);
    await importInto("me", [plain(0, "two", { key })]);
    const [one, two] = await entriesIn();
    expect([one?.key === key, two?.key === key]).toEqual([true, false]);
    const user = (await service.accounts.listUsers())[0];
    if (user === undefined) throw new Error("there is a user");
    await service.documents.use(user.outline, (document) =>
      document.write((outline) => outline.remove(key)),
    );
    await importInto("me", [plain(0, "three", { key })]);
    expect((await entriesIn()).map((entry) => entry.key === key)).toEqual([false, false]);
  });

  test("[C6] without times a node is made and completed now", async () => {
    await importInto("me", [plain(0, "a", { completedAt: "unknown" })]);
    expect(await entriesIn()).toMatchObject([
      { createdAt: NOW_SEC, modifiedAt: NOW_SEC, completedAt: NOW_SEC },
    ]);
  });

  test("[C6] goes below what is there, in the file's order", async () => {
    await importInto("me", [plain(0, "old")]);
    await importInto("me", [plain(0, "a"), plain(1, "b"), plain(0, "c")]);
    expect((await entriesIn()).map(({ depth, name }) => [depth, name])).toEqual([
      [0, "old"],
      [0, "a"],
      [1, "b"],
      [0, "c"],
    ]);
  });

  test("[C6] all or nothing: refusals and failures leave nothing behind", async () => {
    function* breaking(): Generator<OutlineEntry> {
      yield plain(0, "a");
      throw new Error("cut");
    }
    const many = Array.from({ length: 51 }, () => plain(0, "x"));
    expect(await importInto("me", many)).toMatchObject({ kind: "refused" });
    expect(await importInto("me", [plain(0, "a")], "nowhere")).toMatchObject({ kind: "refused" });
    expect(await importInto("me", [plain(0, "a")], "2026-02-30")).toMatchObject({
      kind: "refused",
    });
    expect(await importInto("you", [plain(0, "a")])).toMatchObject({ kind: "refused" });
    await expect(importInto("me", breaking())).rejects.toThrow("cut");
    await expect(importInto("me", [plain(1, "orphan")])).rejects.toThrow("without a parent");
    expect(await entriesIn()).toEqual([]);
  });

  test("[C6] below a day that is not there yet", async () => {
    await importInto("me", [plain(0, "lunch")], "2026-11-20");
    expect((await entriesIn()).map(({ depth, key, name }) => [depth, key, name]).at(-1)).toEqual([
      4,
      expect.stringMatching(/^(?!0000)/),
      "lunch",
    ]);
  });
});
