import * as Y from "yjs";
import { describe, expect, test } from "vitest";
import type { ItemOf } from "../../src/admin/admin-operations.ts";
import { newOutlineId, ROOT } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import { FakeChannel } from "./fake-channel.ts";
import { invoke, NOW } from "./invoke.ts";

const ID = newOutlineId(() => 0.4);

/** What a store has of an outline with two nodes: a snapshot of one, the other in an update. */
function storedOutline() {
  const doc = new Y.Doc();
  const outline = Outline.attach(doc, { id: ID, now: () => NOW, random: Math.random });
  outline.create({ parent: ROOT, name: "in the snapshot" });
  const chunk = Y.encodeStateAsUpdate(doc);
  const stateVector = Y.encodeStateVector(doc);
  outline.create({ parent: ROOT, name: "behind it" });
  const update = Y.encodeStateAsUpdate(doc, stateVector);
  return { chunk, stateVector, update };
}

async function check(
  stored: readonly ItemOf<"stored">[] | "refused",
  more: { readonly user?: string | null; readonly verify?: readonly ItemOf<"verify">[] } = {},
) {
  const { user = "me", verify = [] } = more;
  const channel = new FakeChannel({
    verify: { items: verify, progress: [{ done: 1, total: 1 }] },
    outlines: { items: [{ outline: ID, user }] },
    stored:
      stored === "refused"
        ? { outcome: { kind: "refused", reason: "update 7 is damaged" } }
        : { items: stored },
  });
  return { ...(await invoke(["check"], channel)), asked: channel.asked.map((a) => a.operation) };
}

describe("check", () => {
  test("[C14, D88] says what has not come back since a backup was put back; that is no error", async () => {
    const { chunk, stateVector } = storedOutline();
    const [[client = 0, end = 0] = []] = Y.decodeStateVector(stateVector);
    const lost: [number, number][] = [
      [client, end],
      [5, 1_000],
    ];
    const parts = [{ chunk }, { stateVector, seq: 1 }];
    expect(await check([...parts, { lost }])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/note: 1,000 characters and values of 1 client id /),
    });
    expect(await check([...parts, { lost: [[client, end]] }])).toMatchObject({ code: 0, out: "" });
  });

  test("[C14] of an outline that is well: nothing on standard output, 0", async () => {
    const { chunk, stateVector, update } = storedOutline();
    const stored = [{ chunk }, { stateVector, seq: 5 }, { update, seq: 6 }];
    expect(await check(stored)).toEqual({
      code: 0,
      out: "",
      err: "Checked 1 outline with 2 nodes: nothing is wrong.\n",
      asked: ["verify", "outlines", "stored"],
    });
    expect(await check([])).toMatchObject({ code: 0 });
  });

  const { chunk, stateVector, update } = storedOutline();
  test.each([
    [
      "a missing update",
      [{ chunk }, { stateVector, seq: 5 }, { update, seq: 7 }],
      /update 6 is missing/,
    ],
    ["an update that lacks another", [{ update, seq: 1 }], /pending updates/],
    [
      "a snapshot of something else",
      [{ chunk }, { stateVector: new Uint8Array([0]), seq: 1 }],
      /vector/,
    ],
    ["a chunk of nonsense", [{ chunk: new Uint8Array([255, 255, 255]) }], /chunk .* can't be read/],
    [
      "an update of nonsense",
      [{ update: new Uint8Array([9, 9]), seq: 1 }],
      /update 1 can't be read/,
    ],
    ["what can't be read at all", "refused" as const, /update 7 is damaged/],
  ])("[C14] finds %s: 1", async (_what, stored, finding) => {
    const { code, out } = await check(stored);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(finding) });
    expect(out).toMatch(new RegExp(`^${ID}: `));
  });

  test("[C14] a damaged record is told once, and its outline not looked at further", async () => {
    const verify = [
      { outline: ID, finding: "update 3 is damaged" },
      { outline: null, finding: "user me is damaged" },
    ];
    expect(await check("refused", { verify })).toEqual({
      code: 1,
      out: `${ID}: update 3 is damaged\nthe store: user me is damaged\n`,
      err: "Checked 1 outline with 0 nodes: 2 findings.\n",
      asked: ["verify", "outlines"],
    });
  });

  test("[C14] a store that somebody has emptied is wrong: 1", async () => {
    const channel = new FakeChannel({ verify: {}, outlines: {} });
    expect(await invoke(["check"], channel)).toEqual({
      code: 1,
      out: "the store: there is no user and no outline in it\n",
      err: "Checked 0 outlines with 0 nodes: 1 finding.\n",
    });
  });

  test("[C14] what is only worth knowing is noted: 0", async () => {
    const doc = new Y.Doc();
    const outline = Outline.attach(doc, { id: ID, now: () => NOW, random: Math.random });
    const created = outline.create({ parent: ROOT, name: "x" });
    if (created.kind !== "created") throw new Error(created.kind);
    outline.setShortcut("work", created.key);
    outline.remove(created.key);
    const { code, out } = await check([{ update: Y.encodeStateAsUpdate(doc), seq: 1 }], {
      user: null,
    });
    expect({ code, out }).toEqual({
      code: 0,
      out: `${ID}: note: it belongs to no user\n${ID}: note: dangling shortcut at work\n`,
    });
  });
});
