import * as encoding from "lib0/encoding";
import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { seedFor } from "../../../src/core/calendar/month-seed.ts";
import { dayKey, INBOX, type NodeKey } from "../../../src/core/node-key.ts";
import { marksOf, metaOf, nodesOf, SCHEMA_VERSION, shortcutsOf } from "../../../src/core/schema.ts";
import type { Inspection } from "../../../src/core/updates/update-guard.ts";
import { inspectUpdate } from "../../support/inspect-update.ts";
import { encodePlan } from "../../../src/core/updates/update-plan.ts";
import { fullUpdate, outlineDoc, shownBy, updateOf } from "../../documents/support/random-edits.ts";

const KEY = "a1b2c3d4e5f6" as NodeKey;

/** A server's document with one node, and a client that has the same. */
function pair(): { readonly server: Y.Doc; readonly client: Y.Doc; readonly text: Y.Text } {
  const client = outlineDoc(7);
  const text = new Y.Text();
  nodesOf(client).set(KEY, text);
  text.insert(0, "milk");
  const server = outlineDoc(1);
  Y.applyUpdate(server, fullUpdate(client));
  return { server, client, text };
}

/** How an update is judged that an edit of a synced client makes. */
function judged(edit: (client: Y.Doc, text: Y.Text) => void): Inspection {
  const { server, client, text } = pair();
  return inspectUpdate(
    server,
    updateOf(client, () => edit(client, text)),
  );
}

/** An update of one struct, written by hand. */
function handMade(
  write: (encoder: encoding.Encoder) => void,
  { client = 9, clock = 0 } = {},
): Uint8Array {
  return encoding.encode((encoder) => {
    for (const number of [1, 1, client, clock]) encoding.writeVarUint(encoder, number);
    write(encoder);
    encoding.writeVarUint(encoder, 0);
  });
}

const HAS_ORIGIN = 0x80;
const DELETED = 1;
const TEXT = 4;

describe("what is new", () => {
  test("[D60] an update that is all new passes as it is, with its clients and clocks", () => {
    const { server, client, text } = pair();
    const update = updateOf(client, () => text.insert(4, "!"));
    const inspection = inspectUpdate(server, update);
    expect(inspection).toMatchObject({
      kind: "ok",
      clients: [{ client: 7, from: 5, to: 6 }],
      whole: update,
    });
  });

  test("[D60] what the document has already is passed over, deletions too", () => {
    const { server, client, text } = pair();
    const deleted = updateOf(client, () => text.delete(0, 2));
    Y.applyUpdate(server, deleted);
    const again = inspectUpdate(server, fullUpdate(client));
    expect(again).toEqual({
      kind: "ok",
      clients: [],
      saysOf: [7],
      deletedAgain: [{ client: 7, ranges: [1, 2] }],
      plan: { runs: [], deletes: [] },
      whole: undefined,
      recordsOf: [],
      displacesNode: false,
      strayTexts: [],
    });
  });

  test("[D60] only the new part of an update is in the plan", () => {
    const { server, client, text } = pair();
    client.clientID = 8;
    text.insert(4, " and bread");
    text.delete(0, 1);
    const inspection = inspectUpdate(server, fullUpdate(client));
    if (inspection.kind !== "ok") throw new Error(inspection.kind);
    expect(inspection.clients).toEqual([{ client: 8, from: 0, to: 10 }]);
    expect(inspection.plan.deletes).toEqual([{ client: 7, ranges: [1, 1] }]);
    Y.applyUpdate(server, encodePlan(inspection.plan));
    expect(shownBy(server)).toEqual(shownBy(client));
  });

  test("[D60] a struct that is known in part is new from there on", () => {
    const { server, client, text } = pair();
    text.insert(4, " and bread");
    const inspection = inspectUpdate(server, fullUpdate(client));
    if (inspection.kind !== "ok") throw new Error(inspection.kind);
    expect(inspection.clients).toEqual([{ client: 7, from: 5, to: 15 }]);
    Y.applyUpdate(server, encodePlan(inspection.plan));
    expect(shownBy(server)).toEqual(shownBy(client));
  });
});

describe("what displaces a node", () => {
  const displaces = (server: Y.Doc, client: Y.Doc): unknown => {
    const inspection = inspectUpdate(server, fullUpdate(client));
    return inspection.kind === "ok" ? inspection.displacesNode : inspection;
  };
  const putsText = (client: Y.Doc): Y.Doc => {
    nodesOf(client).set(KEY, new Y.Text());
    return client;
  };

  test("[D68] another text under its key, made without knowing of it", () => {
    const { server } = pair();
    expect(displaces(server, putsText(outlineDoc(8)))).toBe(true);
  });

  test("[D68] not one under a key that is free, deleted, or was seen", () => {
    const { server, client } = pair();
    expect(displaces(outlineDoc(1), putsText(outlineDoc(8)))).toBe(false);
    expect(displaces(server, putsText(client))).toBe(false);
    nodesOf(server).delete(KEY);
    expect(displaces(server, putsText(outlineDoc(8)))).toBe(false);
  });
});

describe("what is missing", () => {
  test("[D61] structs before it, of the same client", () => {
    const { server, client, text } = pair();
    text.insert(4, "x");
    const update = updateOf(client, () => text.insert(5, "y"));
    expect(inspectUpdate(server, update)).toEqual({ kind: "missing" });
  });

  test("[D61] structs of other clients that it builds on", () => {
    const { server, client, text } = pair();
    client.clientID = 8;
    text.insert(4, "x");
    client.clientID = 9;
    const update = updateOf(client, () => text.insert(5, "y"));
    expect(inspectUpdate(server, update)).toEqual({ kind: "missing" });
  });

  test("[D61] structs that it deletes, whether in part or unknown altogether", () => {
    const { server, client, text } = pair();
    text.insert(4, "xyz");
    const update = updateOf(client, () => text.delete(3, 3));
    expect(inspectUpdate(server, update)).toEqual({ kind: "missing" });
    expect(inspectUpdate(outlineDoc(1), update)).toEqual({ kind: "missing" });
  });

  test("[D61] what a merge of updates that are not adjacent left out", () => {
    const { server, client, text } = pair();
    const first = updateOf(client, () => text.insert(0, "a"));
    updateOf(client, () => text.insert(2, "b"));
    const third = updateOf(client, () => text.insert(5, "c"));
    expect(inspectUpdate(server, Y.mergeUpdates([first, third]))).toEqual({ kind: "missing" });
  });

  test("[D61] such a hole is none when the document has what is in it", () => {
    const { server, client, text } = pair();
    const first = updateOf(client, () => text.insert(0, "a"));
    const second = updateOf(client, () => text.insert(2, "b"));
    const third = updateOf(client, () => text.insert(5, "c"));
    Y.applyUpdate(server, first);
    Y.applyUpdate(server, second);
    const inspection = inspectUpdate(server, Y.mergeUpdates([first, third]));
    expect(inspection).toMatchObject({ kind: "ok", clients: [{ client: 7, from: 7, to: 8 }] });
  });

  test("[D61] structs that wait for each other, as parents of each other", () => {
    const update = encoding.encode((encoder) => {
      const waiting = (client: number, parent: number): void => {
        for (const number of [1, client, 0]) encoding.writeVarUint(encoder, number);
        encoding.writeUint8(encoder, 7);
        for (const number of [0, parent, 0, 2]) encoding.writeVarUint(encoder, number);
      };
      encoding.writeVarUint(encoder, 2);
      waiting(11, 12);
      waiting(12, 11);
      encoding.writeVarUint(encoder, 0);
    });
    expect(inspectUpdate(outlineDoc(1), update)).toEqual({ kind: "missing" });
  });

  test("[D61] a struct that refers to itself", () => {
    const update = handMade((encoder) => {
      encoding.writeUint8(encoder, HAS_ORIGIN | TEXT);
      for (const number of [9, 0]) encoding.writeVarUint(encoder, number);
      encoding.writeVarString(encoder, "x");
    });
    expect(inspectUpdate(outlineDoc(1), update)).toEqual({ kind: "missing" });
  });
});

describe("what is malformed", () => {
  const { server, client } = pair();
  const bytes = fullUpdate(client);

  test("[D62] an update that is cut off anywhere", () => {
    for (let length = 0; length < bytes.length; length++) {
      expect(inspectUpdate(outlineDoc(1), bytes.subarray(0, length))).toEqual({
        kind: "refused",
        reason: "malformed",
      });
    }
  });

  test("[D62] bytes behind the end, and two sections of one client", () => {
    const longer = new Uint8Array([...bytes, 0]);
    const twice = new Uint8Array([2, ...bytes.subarray(1, -1), ...bytes.subarray(1)]);
    for (const update of [longer, twice]) {
      expect(inspectUpdate(server, update)).toEqual({ kind: "refused", reason: "malformed" });
    }
  });

  test.each<[string, Uint8Array]>([
    ["an empty text", handMade((encoder) => rootText(encoder, "clk", ""))],
    ["an unknown root", handMade((encoder) => rootText(encoder, "other", "x"))],
    ["a subdocument", handMade((encoder) => rootContent(encoder, 9))],
    ["an embed", handMade((encoder) => rootContent(encoder, 5))],
    ["legacy JSON", handMade((encoder) => rootContent(encoder, 2))],
    ["an unknown content", handMade((encoder) => rootContent(encoder, 31))],
    ["a deletion of no length", handMade((encoder) => rootContent(encoder, DELETED, 0))],
    ["a text that is no UTF-8", handMade((encoder) => rootContent(encoder, TEXT, 1, 0xff))],
    ["a length beyond exact numbers", handMade((encoder) => deletedOf(encoder, 2 ** 49))],
  ])("[D62] %s", (_, update) => {
    expect(inspectUpdate(outlineDoc(1), update)).toEqual({ kind: "refused", reason: "malformed" });
  });

  test("[D62] neighbours in different lists", () => {
    const both = pair();
    const other = new Y.Text("other");
    nodesOf(both.client).set("b1b2c3d4e5f6", other);
    Y.applyUpdate(both.server, fullUpdate(both.client));
    const left = both.text._start;
    const right = other._start;
    if (left === null || right === null) throw new Error("no text");
    const update = handMade((encoder) => {
      encoding.writeUint8(encoder, 0xc0 | TEXT);
      for (const { client: author, clock } of [left.id, right.id]) {
        encoding.writeVarUint(encoder, author);
        encoding.writeVarUint(encoder, clock);
      }
      encoding.writeVarString(encoder, "x");
    });
    expect(inspectUpdate(both.server, update)).toEqual({ kind: "refused", reason: "malformed" });
  });

  test("[D62] a parent that is no type", () => {
    const both = pair();
    const inside = both.text._start;
    if (inside === null) throw new Error("no text");
    const update = handMade((encoder) => {
      encoding.writeUint8(encoder, TEXT);
      for (const number of [0, inside.id.client, inside.id.clock]) {
        encoding.writeVarUint(encoder, number);
      }
      encoding.writeVarString(encoder, "x");
    });
    expect(inspectUpdate(both.server, update)).toEqual({ kind: "refused", reason: "malformed" });
  });
});

function rootText(encoder: encoding.Encoder, root: string, text: string): void {
  encoding.writeUint8(encoder, TEXT);
  encoding.writeVarUint(encoder, 1);
  encoding.writeVarString(encoder, root);
  encoding.writeVarString(encoder, text);
}

function rootContent(encoder: encoding.Encoder, ref: number, ...content: number[]): void {
  encoding.writeUint8(encoder, ref);
  encoding.writeVarUint(encoder, 1);
  encoding.writeVarString(encoder, "clk");
  for (const byte of content) encoding.writeUint8(encoder, byte);
}

function deletedOf(encoder: encoding.Encoder, length: number): void {
  rootContent(encoder, DELETED);
  encoding.writeVarUint(encoder, length);
}

describe("what may stand where", () => {
  const refusal: Inspection = { kind: "refused", reason: "not_allowed" };

  test.each<[string, (client: Y.Doc, text: Y.Text) => void]>([
    ["a node under a key that is none", (doc) => nodesOf(doc).set("short", new Y.Text())],
    ["a node of prototype's name", (doc) => nodesOf(doc).set("__proto__", new Y.Text())],
    ["a reserved node that is not seeded", (doc) => nodesOf(doc).set(INBOX, new Y.Text())],
    ["a node that is a map", (doc) => doc.getMap("nodes").set(KEY, new Y.Map())],
    ["a node that is a value", (doc) => doc.getMap("nodes").set(KEY, "text")],
    ["a placement that is a number", (_, text) => text.setAttribute("p", 1)],
    ["a placement that is too long", (_, text) => text.setAttribute("p", "x".repeat(10_001))],
    ["a layout that is an object", (_, text) => text.setAttribute("l", { a: 1 })],
    ["a completion that is a text", (_, text) => text.setAttribute("x", "now")],
    ["a completion that is no integer", (_, text) => text.setAttribute("x", 0.5)],
    ["a completion after the year 9999", (_, text) => text.setAttribute("x", 253_402_300_800)],
    ["a reopening before that year", (_, text) => text.setAttribute("x", -253_402_300_800)],
    ["completions that are a number", (_, text) => text.setAttribute("c", 1)],
    ["completions that are long", (_, text) => text.setAttribute("c", "1".repeat(129))],
    ["a layout that is long", (_, text) => text.setAttribute("l", "x".repeat(65))],
    ["a completion that is not finite", (_, text) => text.setAttribute("x", Number.NaN)],
    ["a deletion that is true", (_, text) => text.setAttribute("d", true)],
    ["a note that is a value", (_, text) => text.setAttribute("o7", "note")],
    ["an attribute of prototype's name", (_, text) => text.setAttribute("__proto__", "x")],
    ["an unknown attribute that is large", (_, text) => text.setAttribute("z", "x".repeat(5_000))],
    ["an unknown attribute that is a type", (_, text) => text.setAttribute("z", new Y.Map())],
    ["a type in a name", (_, text) => text.insertEmbed(0, new Y.Map())],
    ["bold that is a text", (_, text) => text.format(0, 1, { b: "yes" })],
    ["a link of another scheme", (_, text) => text.format(0, 1, { a: "javascript:alert(1)" })],
    ["a link that is true", (_, text) => text.format(0, 1, { a: true })],
    ["a date that is none", (_, text) => text.format(0, 1, { d: "tomorrow" })],
    ["an unknown format that is an object", (_, text) => text.format(0, 1, { z: { a: 1 } })],
    ["a format of prototype's name", (_, text) => text.format(0, 1, { ["__proto__x"]: true })],
    ["a shortcut to a number", (doc) => doc.getMap("keys").set("a", 1)],
    ["a shortcut that is long", (doc) => shortcutsOf(doc).set("x".repeat(257), KEY)],
    ["a mark that is a text", (doc) => doc.getArray("clk").push(["now"])],
    ["a type among the marks", (doc) => doc.getArray("clk").push([new Y.Text()])],
    ["a setting that is a type", (doc) => metaOf(doc).set("z", new Y.Text())],
    ["a setting that is large", (doc) => metaOf(doc).set("z", "x".repeat(5_000))],
    ["a stamp behind the year 9999", (_, text) => text.setAttribute("m", 253_402_300_800)],
    ["a mark behind the year 9999", (doc) => marksOf(doc).push([253_402_300_800])],
    ["a long record among the marks", (doc) => doc.getArray("clk").push([new Uint8Array(70_000)])],
    ["a schema that is a text", (doc) => metaOf(doc).set("v", "2")],
    ["a newer schema", (doc) => metaOf(doc).set("v", SCHEMA_VERSION + 1)],
  ])("[D63, M16] not %s", (_, edit) => {
    expect(judged(edit)).toEqual(refusal);
  });

  test("[M16] whose records of when things came an update brings is told", () => {
    const record = judged((doc) => doc.getArray("clk").push([new Uint8Array([1])]));
    expect(record).toMatchObject({ kind: "ok", recordsOf: [7] });
  });

  test.each<[string, (client: Y.Doc, text: Y.Text) => void]>([
    ["nodes with text, formats and dates", (doc) => richNode(doc)],
    ["links inside the outline", (_, text) => text.format(0, 2, { a: `#/${KEY}` })],
    ["all registers", (_, text) => allRegisters(text)],
    ["a reopening", (_, text) => text.setAttribute("x", -1_700_000_000)],
    ["a completion in the last second", (_, text) => text.setAttribute("x", 253_402_300_799)],
    ["a completion with its history", (_, text) => text.setAttribute("c", "0.2r.2s")],
    [
      "a layout of others",
      (_, text) => text.setAttribute("l", `${"x".repeat(32)}\nP6soyc0zzzzzzzzzz`),
    ],
    ["a layout with a time", (_, text) => text.setAttribute("l", "todo\nP6soyc0a")],
    ["a layout with a time that is none", (_, text) => text.setAttribute("l", "todo\n?????")],
    ["a deletion with a time", (_, text) => text.setAttribute("d", "t5'a.1s\nP6soyc0")],
    ["a removed shortcut", (doc) => shortcutsOf(doc).set("work", "\nP6soyc0")],
    ["the schema of before", (doc) => metaOf(doc).set("v", 1)],
    ["notes", (_, text) => text.setAttribute("o7", new Y.Text("note"))],
    ["attributes of later versions", (_, text) => text.setAttribute("later", "x")],
    ["formats of later versions", (_, text) => text.format(0, 1, { later: "x" })],
    ["settings of later versions", (doc) => metaOf(doc).set("later", { deep: [1, "x", null] })],
    ["shortcuts of any name", (doc) => shortcutsOf(doc).set("__proto__", KEY)],
    ["marks", (doc) => marksOf(doc).push([1_700_000_000, 1_700_000_060])],
  ])("[D63] but %s", (_, edit) => {
    expect(judged(edit)).toMatchObject({ kind: "ok" });
  });

  test("[D63] what goes into a collected node goes nowhere, whatever it is", () => {
    const { server, client, text } = pair();
    nodesOf(server).delete(KEY);
    client.clientID = 8;
    const update = updateOf(client, () => text.setAttribute("p", 1));
    const inspection = inspectUpdate(server, update);
    expect(inspection).toMatchObject({ kind: "ok", clients: [{ client: 8, from: 0, to: 1 }] });
    Y.applyUpdate(server, update);
    expect([server.store.pendingStructs, server.store.pendingDs]).toEqual([null, null]);
  });
});

function richNode(doc: Y.Doc): void {
  const text = new Y.Text();
  nodesOf(doc).set("b1b2c3d4e5f6", text);
  text.insert(0, "bold", { b: true });
  text.insert(4, "link", { a: "https://example.org/", code: true });
  text.insert(8, "Aug 1", { d: "2026-08-01 14:30" });
  text.insert(13, "mark", { mark: "colored c-red", span: "" });
}

function allRegisters(text: Y.Text): void {
  text.setAttribute("p", "placement");
  text.setAttribute("l", "todo");
  text.setAttribute("x", 1_700_000_000);
  text.setAttribute("d", "f*");
  text.setAttribute("m", 1_700_000_000);
}

describe("seeds", () => {
  const day = dayKey(2026, 11, 20);

  /** A client that renamed a seeded day before anybody else knew of it. */
  function withRenamedDay(): Y.Doc {
    const client = outlineDoc(7);
    Y.applyUpdate(client, seedFor(day) ?? new Uint8Array());
    const text = nodesOf(client).get(day);
    text?.setAttribute("p", "place");
    text?.delete(0, 3);
    text?.insert(0, "Fri");
    return client;
  }

  test("[D64] a seed may come from anybody and belongs to nobody", () => {
    const client = withRenamedDay();
    const inspection = inspectUpdate(outlineDoc(1), fullUpdate(client));
    if (inspection.kind !== "ok") throw new Error(inspection.kind);
    expect(inspection.clients.map(({ client: author }) => author)).toEqual([7]);
    const server = outlineDoc(1);
    Y.applyUpdate(server, encodePlan(inspection.plan));
    expect(shownBy(server)).toEqual(shownBy(client));
  });

  test("[D64] what comes under a seed's client id is replaced by the seed", () => {
    const honest = seedFor(day) ?? new Uint8Array();
    const [seeded] = Y.decodeUpdate(honest).structs;
    const forger = outlineDoc(seeded?.id.client ?? 0);
    const text = new Y.Text();
    nodesOf(forger).set(day, text);
    text.insert(0, "forged");
    // Beside something large: a small update that brings much is refused.
    const other = outlineDoc(7);
    nodesOf(other).set("a1b2c3d4e5f6", new Y.Text("x".repeat(2_000)));
    const update = Y.mergeUpdates([fullUpdate(forger), fullUpdate(other)]);
    const inspection = inspectUpdate(outlineDoc(1), update);
    if (inspection.kind !== "ok") throw new Error(inspection.kind);
    const server = outlineDoc(1);
    Y.applyUpdate(server, encodePlan(inspection.plan));
    const expected = outlineDoc(1);
    Y.applyUpdate(expected, honest);
    Y.applyUpdate(expected, fullUpdate(other));
    expect(shownBy(server)).toEqual(shownBy(expected));
  });

  test("[D64, Q43] who sends a stub of a seed does not make the server add all of it", () => {
    const stubs = new Y.Doc();
    for (let month = 1; month <= 12; month++) {
      const [seeded] = Y.decodeUpdate(seedFor(dayKey(2026, month, 20)) ?? new Uint8Array()).structs;
      stubs.clientID = seeded?.id.client ?? 0;
      nodesOf(stubs).set(`${month}`, new Y.Text());
    }
    expect(inspectUpdate(outlineDoc(1), fullUpdate(stubs))).toEqual({
      kind: "refused",
      reason: "too_large",
    });
    // A part of one at the end of much else, as where a large state is sent in parts, is honest.
    const cut = outlineDoc(7);
    nodesOf(cut).set("a1b2c3d4e5f6", new Y.Text("x".repeat(2_000)));
    const [seeded] = Y.decodeUpdate(seedFor(day) ?? new Uint8Array()).structs;
    cut.clientID = seeded?.id.client ?? 0;
    nodesOf(cut).set(day, new Y.Text());
    expect(inspectUpdate(outlineDoc(1), fullUpdate(cut)).kind).toBe("ok");
  });

  test("[D64] nothing is appended to a seed, and ids kept for seeds that are none stay unused", () => {
    const forger = outlineDoc(1);
    Y.applyUpdate(forger, seedFor(day) ?? new Uint8Array());
    const [client] = forger.store.clients.keys();
    forger.clientID = client ?? 0;
    nodesOf(forger).get(day)?.insert(0, "forged");
    const unused = outlineDoc(2 ** 28 - 1);
    marksOf(unused).push([1]);
    for (const doc of [forger, unused]) {
      expect(inspectUpdate(outlineDoc(1), fullUpdate(doc))).toEqual({
        kind: "refused",
        reason: "not_allowed",
      });
    }
  });
});
