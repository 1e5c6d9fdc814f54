import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { FormatCounts } from "../../../src/core/updates/format-counts.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import { metaOf, nodesOf, shortcutsOf, textOf } from "../../../src/core/schema.ts";
import { MAX_SHORTCUTS } from "../../../src/core/shortcut-list.ts";
import { MAX_MARKS, MAX_TEXT_LENGTH } from "../../../src/core/text/text-limits.ts";
import { writeRichText } from "../../../src/core/text/write-rich-text.ts";
import { htmlOfYText, readRichText } from "../../../src/core/text/y-text.ts";
import type { Inspection } from "../../../src/core/updates/update-guard.ts";
import { inspectUpdate } from "../../support/inspect-update.ts";
import { DEFAULT_UPDATE_LIMITS } from "../../../src/core/updates/update-limits.ts";
import { encodePlan } from "../../../src/core/updates/update-plan.ts";
import { fullUpdate, outlineDoc, updateOf } from "../../documents/support/random-edits.ts";
import { soloOutline } from "../../support/lab.ts";
import { keyOf, plant } from "../../support/outline-notation.ts";

const KEY = "a1b2c3d4e5f6" as NodeKey;
const TOO_LARGE = { kind: "refused", reason: "too_large" };
const NOT_ALLOWED = { kind: "refused", reason: "not_allowed" };
const LIMITS = { ...DEFAULT_UPDATE_LIMITS, maxFormatMarks: 20 };

/** A server's document with one node of so many letters, and a client that has the same. */
function pair(length = 1_000): { readonly server: Y.Doc; readonly client: Y.Doc } {
  const client = outlineDoc(7);
  const text = new Y.Text();
  nodesOf(client).set(KEY, text);
  text.insert(0, "a".repeat(length));
  const server = outlineDoc(1);
  Y.applyUpdate(server, fullUpdate(client));
  return { server, client };
}

function nameIn(doc: Y.Doc): Y.Text {
  const text = textOf(nodesOf(doc), KEY);
  if (text === undefined) throw new Error("no text");
  return text;
}

/** Judges an update as a server does, and applies it when it passes. */
function send(server: Y.Doc, update: Uint8Array, limits = LIMITS): Inspection {
  const inspection = inspectUpdate(server, update, limits);
  if (inspection.kind === "ok") Y.applyUpdate(server, encodePlan(inspection.plan));
  return inspection;
}

/** Makes so many letters bold, every other one from a place on: two marks each. */
function embolden(text: Y.Text, from: number, count: number): void {
  for (let index = 0; index < count; index++) text.format(from + 2 * index, 1, { b: true });
}

describe("formats of a text", () => {
  test("[Q30] one update adds so many marks to one text, and all together half as many again", () => {
    const { server, client } = pair();
    const tooMany = updateOf(client, () => embolden(nameIn(client), 0, 11));
    expect(send(server, tooMany)).toEqual(TOO_LARGE);
    const other = pair();
    const enough = updateOf(other.client, () => embolden(nameIn(other.client), 0, 10));
    expect(send(other.server, enough).kind).toBe("ok");
    const more = updateOf(other.client, () => embolden(nameIn(other.client), 100, 5));
    expect(send(other.server, more).kind).toBe("ok");
    const last = updateOf(other.client, () => embolden(nameIn(other.client), 200, 1));
    expect(send(other.server, last)).toEqual(TOO_LARGE);
  });

  test("[Q30] what is typed and what is deleted passes in a text that is over the limit already", () => {
    const { server, client } = pair();
    const stored = updateOf(client, () => embolden(nameIn(client), 0, 100));
    Y.applyUpdate(server, stored);
    const typed = updateOf(client, () => nameIn(client).insert(500, "typed"));
    expect(send(server, typed).kind).toBe("ok");
    const plain = updateOf(client, () => nameIn(client).format(0, 1_000, { b: null }));
    expect(send(server, plain).kind).toBe("ok");
    expect(FormatCounts.of(server).marksOf(nameIn(server))).toBeLessThan(20);
    const again = updateOf(client, () => embolden(nameIn(client), 300, 5));
    expect(send(server, again).kind).toBe("ok");
    const deleted = updateOf(client, () => nameIn(client).delete(0, nameIn(client).length));
    expect(send(server, deleted).kind).toBe("ok");
  });

  test("[Q30] marks that the update deletes itself don't count", () => {
    const { server, client } = pair();
    client.gc = false;
    const update = updateOf(client, () => {
      for (let round = 0; round < 30; round++) {
        nameIn(client).format(10, 5, { b: true });
        nameIn(client).format(10, 5, { b: null });
      }
      embolden(nameIn(client), 100, 5);
    });
    expect(send(server, update).kind).toBe("ok");
  });

  test("[Q30] what the transaction under way has added counts", () => {
    const { server, client } = pair();
    const updates = [0, 1, 2].map((index) =>
      updateOf(client, () => embolden(nameIn(client), 100 * index, 7)),
    );
    // Counted once before, so that there is a count to go wrong.
    expect(FormatCounts.of(server).marksOf(nameIn(server))).toBe(0);
    const kinds = server.transact(() => updates.map((update) => send(server, update).kind));
    expect(kinds).toEqual(["ok", "ok", "refused"]);
    expect(FormatCounts.of(server).marksOf(nameIn(server))).toBe(28);
  });

  test("[Q30] the count of a text is that of its marks, whatever is done to it", () => {
    const { client } = pair(200);
    const counts = FormatCounts.of(client);
    const text = nameIn(client);
    expect(counts.marksOf(text)).toBe(0);
    let seed = 12345;
    const random = (below: number): number => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      return seed % below;
    };
    for (let round = 0; round < 300; round++) {
      const at = random(Math.max(1, text.length));
      const length = Math.min(random(9), text.length - at);
      if (random(3) === 0) text.delete(at, length);
      else if (random(2) === 0) text.insert(at, "new ", { i: true });
      else text.format(at, length, { b: random(2) === 0 ? true : null, x: "y" });
      let marks = 0;
      for (let item = text._start; item !== null; item = item.right) {
        if (!item.deleted && item.content instanceof Y.ContentFormat) marks++;
      }
      expect(counts.marksOf(text)).toBe(marks);
    }
  });

  test("[Q30] a text as rich as it may be passes, and so do its copy and two devices' edits of it", () => {
    const outline = soloOutline();
    const keys = plant(outline, "a");
    const runs = Array.from({ length: MAX_MARKS }, (_, index) =>
      index % 2 === 0 ? { insert: "a", attributes: { b: true as const } } : { insert: "c" },
    );
    outline.editText(keyOf(keys, "a"), "name", (text) => void writeRichText(text, runs));
    const server = outlineDoc(1);
    expect(send(server, fullUpdate(outline.doc), DEFAULT_UPDATE_LIMITS).kind).toBe("ok");
  });

  test("[Q31] a text has eight formats that are not known here; what it has stays", () => {
    const { server, client } = pair();
    const named = (from: number, to: number): void => {
      for (let index = from; index < to; index++)
        nameIn(client).format(index, 1, { [`x${index}`]: true });
    };
    expect(
      send(
        server,
        updateOf(client, () => named(0, 8)),
      ).kind,
    ).toBe("ok");
    expect(
      send(
        server,
        updateOf(client, () => nameIn(client).format(100, 3, { x3: true })),
      ).kind,
    ).toBe("ok");
    expect(
      send(
        server,
        updateOf(client, () => named(8, 9)),
      ),
    ).toEqual(NOT_ALLOWED);
    const other = pair();
    const many = updateOf(other.client, () => {
      for (let index = 0; index < 9; index++)
        nameIn(other.client).format(0, 5, { [`x${index}`]: "y" });
    });
    expect(send(other.server, many)).toEqual(NOT_ALLOWED);
  });

  test("[Q31] values of formats that are not known are short, and an entity has 40 characters", () => {
    const judged = (format: Record<string, unknown>): unknown => {
      const { server, client } = pair();
      return send(
        server,
        updateOf(client, () => nameIn(client).format(0, 5, format)),
      );
    };
    expect(judged({ x: "y".repeat(1_024), e: "&copy;" })).toMatchObject({ kind: "ok" });
    expect(judged({ x: "y".repeat(1_025) })).toEqual(NOT_ALLOWED);
    expect(judged({ e: `&#${"0".repeat(38)}5;` })).toEqual(NOT_ALLOWED);
    // A link that is too long to be shown may be put back by an undo.
    expect(judged({ a: `https://e.org/${"x".repeat(10_000)}` })).toMatchObject({ kind: "ok" });
  });
});

describe("what an update makes Yjs do besides", () => {
  /** Letters written one by one before each other, which stay items of their own, and a format. */
  function typedBackwards(count: number): { readonly server: Y.Doc; readonly client: Y.Doc } {
    const { client } = pair(0);
    for (let index = 0; index < count; index++) nameIn(client).insert(0, "a");
    nameIn(client).insert(count, "bold", { b: true });
    const outline = soloOutline();
    Y.applyUpdate(outline.doc, fullUpdate(client));
    return { server: outline.doc, client };
  }

  test("[Q32] a replica looks at nothing but what was changed: no transaction follows", () => {
    const { server, client } = typedBackwards(2_000);
    const update = updateOf(client, () => nameIn(client).delete(0, 2_000));
    expect(update.length).toBeLessThan(20);
    let transactions = 0;
    server.on("afterTransaction", () => transactions++);
    Y.applyUpdate(server, update);
    expect(transactions).toBe(1);
    expect(htmlOfYText(nameIn(server))).toBe("<b>bold</b>");
  });

  test("[Q32] formats without effect stay", () => {
    const { server, client } = typedBackwards(10);
    const both = pair(0).client;
    Y.applyUpdate(both, fullUpdate(client));
    both.clientID = 8;
    const [one, other] = [client, both].map((doc) =>
      updateOf(doc, () => nameIn(doc).format(0, 5, { i: true })),
    );
    let transactions = 0;
    server.on("afterTransaction", () => transactions++);
    for (const update of [one, other]) Y.applyUpdate(server, update ?? new Uint8Array());
    expect(transactions).toBe(2);
    expect(FormatCounts.of(server).marksOf(nameIn(server))).toBe(6);
    expect(readRichText(nameIn(server)).length).toBe(3);
  });
});

describe("entries of maps", () => {
  test("[Q35] an outline has a thousand shortcuts, those of nodes that are gone make room", () => {
    const outline = soloOutline();
    const keys = plant(outline, "a b");
    const [a, b] = [keyOf(keys, "a"), keyOf(keys, "b")];
    outline.doc.transact(() => {
      for (let index = 0; index < MAX_SHORTCUTS; index++) outline.setShortcut(`s${index}`, a);
    });
    expect(outline.setShortcut("one-more", b)).toEqual({
      kind: "outline_full",
      quota: "shortcuts",
      has: MAX_SHORTCUTS,
      adds: 1,
      limit: MAX_SHORTCUTS,
    });
    expect(outline.setShortcut("S17", b)).toEqual({ kind: "ok" });
    expect(outline.removeShortcut("s18")).toEqual({ kind: "ok" });
    expect(outline.setShortcut("one-more", b)).toEqual({ kind: "ok" });
    outline.remove(a);
    expect(outline.setShortcut("another", b)).toEqual({ kind: "ok" });
    expect(outline.shortcuts().map(({ key }) => key)).toEqual(["S17", "one-more", "another"]);
    expect(outline.storedShortcuts().size).toBe(MAX_SHORTCUTS);
  });

  test("[Q35] over the websocket as many again pass; those that are there may change and go", () => {
    const { server, client } = pair();
    const set = (from: number, to: number): Uint8Array =>
      updateOf(client, () => {
        for (let index = from; index < to; index++)
          shortcutsOf(client).set(`s${index}`, `${KEY}0000000`);
      });
    const most = 2 * MAX_SHORTCUTS;
    expect(send(server, set(0, most)).kind).toBe("ok");
    expect(send(server, set(10, 20)).kind).toBe("ok");
    const refused = set(most, most + 1);
    expect(send(server, refused)).toEqual({
      kind: "outline_full",
      quota: "shortcuts",
      has: most,
      adds: 1,
      limit: most,
    });
    const removed = updateOf(client, () => shortcutsOf(client).delete("s5"));
    // The client goes on with what was refused, when there is room.
    const alone = outlineDoc(9);
    Y.applyUpdate(alone, fullUpdate(server));
    expect(
      send(
        server,
        updateOf(alone, () => shortcutsOf(alone).delete("s7")),
      ).kind,
    ).toBe("ok");
    expect(send(server, refused).kind).toBe("ok");
    expect(send(server, removed).kind).toBe("ok");
  });

  test("[Q35] shortcuts with control characters, which only others can make, are passed over", () => {
    const outline = soloOutline();
    const node = keyOf(plant(outline, "a"), "a");
    outline.setShortcut("good", node);
    shortcutsOf(outline.doc).set("b\u009bad", `${node}0000000`);
    shortcutsOf(outline.doc).set("bell", `${node}0000001b\u0007ell`);
    expect(outline.shortcuts().map(({ key }) => key)).toEqual(["bell", "good"]);
  });

  test("[Q35, D48] the list follows what is written, as if it were put in order each time", () => {
    const outline = soloOutline();
    const [a, b] = ["a", "b"].map((name) => keyOf(plant(outline, name), name));
    if (a === undefined || b === undefined) throw new Error("not planted");
    expect(outline.shortcuts()).toEqual([]);
    const map = shortcutsOf(outline.doc);
    outline.doc.transact(() => {
      outline.setShortcut("second", a);
      outline.setShortcut("third", b);
    });
    map.set("first", `${b}0000000`);
    map.set("nonsense", "x");
    outline.setShortcut("THIRD", a);
    expect(outline.shortcuts()).toEqual([
      { key: "first", node: b },
      { key: "second", node: a },
      { key: "THIRD", node: a },
    ]);
    map.delete("second");
    expect(outline.shortcuts().map(({ key }) => key)).toEqual(["first", "THIRD"]);
  });

  test("[Q36] settings, nodes and notes have 64 names besides the usual ones", () => {
    const { server, client } = pair();
    const name = nameIn(client);
    const note = new Y.Text();
    const filled = updateOf(client, () => {
      name.setAttribute("o7", note);
      for (let index = 0; index < 64; index++) {
        metaOf(client).set(`m${index}`, index);
        if (index > 0) name.setAttribute(`x${index}`, index);
        note.setAttribute(`x${index}`, index);
      }
      name.setAttribute("p", "place");
      name.setAttribute("x", 1);
    });
    expect(send(server, filled).kind).toBe("ok");
    const changed = updateOf(client, () => {
      metaOf(client).set("m3", "x");
      name.setAttribute("l", "h1");
      name.removeAttribute("x5");
    });
    expect(send(server, changed).kind).toBe("ok");
    for (const edit of [
      () => metaOf(client).set("more", 1),
      () => name.setAttribute("more", 1),
      () => note.setAttribute("more", 1),
    ]) {
      const update = updateOf(client, edit);
      expect(inspectUpdate(server, Y.mergeUpdates([fullUpdate(server), update]))).toEqual(
        TOO_LARGE,
      );
      client.clientID++;
    }
  });

  test("[Q37] all notes of a node are one text", () => {
    const { server, client } = pair();
    const half = "x".repeat(MAX_TEXT_LENGTH / 2);
    const withNotes = (names: readonly string[]): Uint8Array =>
      updateOf(client, () => {
        for (const name of names) {
          const note = new Y.Text(half);
          nameIn(client).setAttribute(name, note);
        }
      });
    expect(send(server, withNotes(["oa", "ob"]), DEFAULT_UPDATE_LIMITS).kind).toBe("ok");
    expect(send(server, withNotes(["oc", "od"]), DEFAULT_UPDATE_LIMITS).kind).toBe("ok");
    expect(send(server, withNotes(["oe"]), DEFAULT_UPDATE_LIMITS)).toEqual(TOO_LARGE);
    const other = pair();
    const update = updateOf(other.client, () => {
      for (const name of ["oa", "ob", "oc"]) {
        nameIn(other.client).setAttribute(name, new Y.Text(half));
      }
    });
    expect(send(other.server, update, DEFAULT_UPDATE_LIMITS)).toEqual(TOO_LARGE);
  });

  test("[D67] a name may get twice as long as one update may make it", () => {
    const { server, client } = pair(0);
    const added = (length: number): Uint8Array =>
      updateOf(client, () => nameIn(client).insert(0, "x".repeat(length)));
    expect(send(server, added(MAX_TEXT_LENGTH), DEFAULT_UPDATE_LIMITS).kind).toBe("ok");
    expect(send(server, added(MAX_TEXT_LENGTH), DEFAULT_UPDATE_LIMITS).kind).toBe("ok");
    expect(send(server, added(1), DEFAULT_UPDATE_LIMITS)).toEqual(TOO_LARGE);
    const other = pair(0);
    const tooLong = updateOf(other.client, () =>
      nameIn(other.client).insert(0, "x".repeat(MAX_TEXT_LENGTH + 1)),
    );
    expect(send(other.server, tooLong, DEFAULT_UPDATE_LIMITS)).toEqual(TOO_LARGE);
  });
});
