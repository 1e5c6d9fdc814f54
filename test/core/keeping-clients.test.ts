import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { seedFor } from "../../src/core/calendar/month-seed.ts";
import { dayKey, type NodeKey } from "../../src/core/node-key.ts";
import { metaOf, nodesOf, shortcutsOf } from "../../src/core/schema.ts";
import { inspectUpdate } from "../support/inspect-update.ts";
import { encodePlan } from "../../src/core/updates/update-plan.ts";
import { fullUpdate, outlineDoc, shownBy } from "../documents/support/random-edits.ts";

/** Clients that keep what they overwrite and delete: stock Yjs clients do in two ways. */
const HABITS = ["an undo manager", "no collection"] as const;

const KEY = "a1b2c3d4e5f6" as NodeKey;

interface Pair {
  readonly server: Y.Doc;
  readonly client: Y.Doc;
  readonly text: Y.Text;
  readonly history: Y.UndoManager;
  /** Hands the server what the client has beyond it. Answers how it was judged. */
  readonly send: () => string;
}

/** A server with a node, and a client that has it and keeps what it overwrites from now on. */
function pairOf(habit: (typeof HABITS)[number] = "an undo manager"): Pair {
  const origin = outlineDoc(5);
  const node = new Y.Text("milk");
  nodesOf(origin).set(KEY, node);
  node.setAttribute("p", "place");
  const server = outlineDoc(1);
  const client = outlineDoc(7, { gc: habit !== "no collection" });
  for (const doc of [server, client]) Y.applyUpdate(doc, fullUpdate(origin));
  const history = new Y.UndoManager(habit === "an undo manager" ? [nodesOf(client)] : [], {
    captureTimeout: 0,
    doc: client,
  });
  const text = nodesOf(client).get(KEY);
  if (text === undefined) throw new Error("the node is there");
  const send = (): string => {
    const update = Y.encodeStateAsUpdate(client, Y.encodeStateVector(server));
    const inspection = inspectUpdate(server, update);
    if (inspection.kind === "ok") Y.applyUpdate(server, encodePlan(inspection.plan));
    return inspection.kind === "refused" ? inspection.reason : inspection.kind;
  };
  return { server, client, text, history, send };
}

/** The longest run of values that a client sends as one struct. */
function longestRun(update: Uint8Array): number {
  return Math.max(0, ...Y.decodeUpdate(update).structs.map(({ length }) => length));
}

describe.each(HABITS)("with %s", (habit) => {
  test.each<[string, (pair: Pair, value: number) => void]>([
    ["a place", ({ text }, value) => text.setAttribute("p", `place ${value}`)],
    ["a layout", ({ text }, value) => text.setAttribute("l", `h${value}`)],
    ["a completion", ({ text }, value) => text.setAttribute("x", value)],
    ["a deletion", ({ text }, value) => text.setAttribute("d", `t${value}`)],
    ["a date", ({ text }, value) => text.setAttribute("m", value)],
    [
      "a later attribute",
      ({ text }, value) => text.setAttribute("later", `${value}`.repeat(2_000)),
    ],
  ])("[D85] %s that was set often while offline is let in", (_, set) => {
    for (const together of [false, true]) {
      const pair = pairOf(habit);
      const setAll = (): void => {
        for (let value = 1; value <= 4; value++) set(pair, value);
      };
      if (together) pair.client.transact(setAll);
      else setAll();
      expect(longestRun(Y.encodeStateAsUpdate(pair.client, Y.encodeStateVector(pair.server)))).toBe(
        3,
      );
      expect(pair.send()).toBe("ok");
      expect(shownBy(pair.server)).toEqual(shownBy(pair.client));
    }
  });

  test("[D85] so is what another client wrote in between, and what is known in part", () => {
    const { server, client, text, send } = pairOf(habit);
    text.setAttribute("x", 1);
    expect(send()).toBe("ok");
    nodesOf(server).get(KEY)?.setAttribute("x", 5);
    for (const value of [2, 3, 4]) text.setAttribute("x", value);
    expect(send()).toBe("ok");
    Y.applyUpdate(client, fullUpdate(server));
    expect(shownBy(server)).toEqual(shownBy(client));
  });
});

describe("without collection", () => {
  test.each<[string, (doc: Y.Doc, value: unknown) => void]>([
    ["a shortcut", (doc, value) => doc.getMap("keys").set("a", value)],
    ["a completion", (doc, value) => nodesOf(doc).get(KEY)?.setAttribute("x", value)],
    ["a setting", (doc, value) => doc.getMap("meta").set("later", value)],
  ])("[D63, D85] one value of %s that is none keeps all out", (name, set) => {
    const good = { "a shortcut": KEY, "a completion": 1, "a setting": "x" }[name];
    const bad = { "a shortcut": 1, "a completion": "now", "a setting": "x".repeat(4_097) }[name];
    for (const at of [0, 1, 2]) {
      const { client, send } = pairOf("no collection");
      for (let index = 0; index < 4; index++) set(client, index === at ? bad : good);
      expect(send()).toBe("not_allowed");
    }
  });

  test("[D85] shortcuts and settings that were set often are let in", () => {
    const { server, client, send } = pairOf("no collection");
    for (let index = 0; index < 4; index++) {
      shortcutsOf(client).set("a", `a1b2c3d4e5f${index}`);
      metaOf(client).set("weekStart", index);
    }
    expect(send()).toBe("ok");
    expect(shownBy(server)).toEqual(shownBy(client));
  });
});

describe("an undo manager", () => {
  const writeNote = (text: Y.Text): void => {
    const note = new Y.Text();
    text.setAttribute("o7", note);
    note.insert(0, "a note");
  };
  const acts: readonly [string, (pair: Pair) => void][] = [
    ["typing", ({ text }) => text.insert(4, " and bread")],
    ["a deletion of text", ({ text }) => text.delete(0, 3)],
    ["a format", ({ text }) => text.format(0, 2, { b: true })],
    ["a place", ({ text }) => text.setAttribute("p", "elsewhere")],
    ["an attribute that was not there", ({ text }) => text.setAttribute("x", 5)],
    ["an attribute that is taken away", ({ text }) => text.removeAttribute("p")],
    ["a note", ({ text }) => writeNote(text)],
    ["a node", ({ client }) => void nodesOf(client).set("b1b2c3d4e5f6", new Y.Text("bread"))],
    ["the removal of a node", ({ client }) => nodesOf(client).delete(KEY)],
  ];

  test.each(acts)("[D86] may take back %s, and do it again", (_, act) => {
    for (const sendsEach of [true, false]) {
      const pair = pairOf();
      const { server, client, text, history } = pair;
      text.format(1, 2, { i: true });
      text.setAttribute("l", "todo");
      history.clear();
      const before = shownBy(client);
      client.transact(() => act(pair));
      const after = shownBy(client);
      for (let round = 0; round < 3; round++) {
        if (sendsEach) expect(pair.send()).toBe("ok");
        history.undo();
        expect(shownBy(client)).toEqual(before);
        if (sendsEach) expect(pair.send()).toBe("ok");
        history.redo();
        expect(shownBy(client)).toEqual(after);
      }
      expect(pair.send()).toBe("ok");
      expect(shownBy(server)).toEqual(after);
    }
  });

  test("[D86] brings back the entry of a day that it took away, though not as the seed", () => {
    const { server, client, history, send } = pairOf();
    const day = dayKey(2026, 3, 24);
    for (const doc of [server, client]) Y.applyUpdate(doc, seedFor(day) ?? new Uint8Array());
    const before = shownBy(client);
    nodesOf(client).delete(day);
    expect(send()).toBe("ok");
    history.undo();
    expect(send()).toBe("ok");
    expect(shownBy(server)).toEqual(before);
  });

  test("[D86] what others typed into a node's entry that was taken away is not in the copy that comes back", () => {
    const { server, client, history, send } = pairOf();
    nodesOf(client).delete(KEY);
    nodesOf(server).get(KEY)?.insert(4, " and bread");
    expect(send()).toBe("ok");
    history.undo();
    expect(send()).toBe("ok");
    expect(nodesOf(server).get(KEY)?.toJSON()).toBe("milk");
  });
});
