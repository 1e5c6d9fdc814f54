import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { dayKey, INBOX, ROOT, type NodeKey } from "../../src/core/node-key.ts";
import { purge } from "../../src/core/purge.ts";
import { nodesOf, textOf } from "../../src/core/schema.ts";
import { everyOrder, type Act } from "../support/every-order.ts";
import { Lab } from "../support/lab.ts";
import { keyOf, plant, shape } from "../support/outline-notation.ts";
import type { Device } from "../support/replicas.ts";

const OK = { kind: "ok" };
const remove: Act = (outline, at) => expect(outline.remove(at("x"))).toEqual(OK);
const trash: Act = (outline, at, seen) => expect(outline.trash(at("x"), seen)).toEqual(OK);
const restore: Act = (outline, at) => expect(outline.restore(at("x"))).toEqual(OK);
const discard: Act = (outline, at, seen) => expect(outline.discard(at("x"), seen)).toEqual(OK);
const move: Act = (outline, at) => expect(outline.move(at("x"), { parent: at("p") })).toEqual(OK);
const reorder: Act = (outline, at) =>
  expect(outline.move(at("x"), { parent: ROOT, position: "bottom" })).toEqual(OK);
const trashAndTakeBack: Act = (...all) => {
  trash(...all);
  restore(...all);
};
const edit: Act = (outline, at) => outline.update(at("x"), { name: "edited", completed: true });

describe("[D72] a final deletion wins whatever had not seen it, in every order", () => {
  test.each<readonly [string, Act | undefined, readonly Act[]]>([
    ["trashed meanwhile", undefined, [remove, trash]],
    ["trashed before", undefined, [trash, remove]],
    ["trashed and taken back", undefined, [remove, trashAndTakeBack]],
    ["moved", undefined, [remove, move]],
    ["moved before", undefined, [move, remove]],
    ["reordered", undefined, [remove, reorder]],
    ["edited", undefined, [remove, edit]],
    ["restored from the trash", trash, [discard, restore]],
    ["restored before", trash, [restore, discard]],
    ["restored and moved", trash, [discard, (...all) => (restore(...all), move(...all))]],
    [
      "moved by one, trashed and taken back by another",
      undefined,
      [move, remove, trashAndTakeBack],
    ],
    [
      "deleted for good twice",
      undefined,
      [remove, (...all) => (trash(...all), discard(...all)), move],
    ],
  ])("%s", (_, before, acts) => {
    const scene = { notation: "x(y) p z", ...(before && { before }), acts } as const;
    everyOrder(scene, (outline, at) => {
      const [x, y, trashed] = [at("x"), at("y"), outline.trashedKeys()];
      const found = [x, y].filter((key) => outline.has(key) || trashed.includes(key));
      expect([found, outline.restore(x).kind, shape(outline)]).toEqual([[], "not_found", "p z"]);
    });
  });

  test("what was added or moved in unseen is rescued, and what was moved out lives on", () => {
    const lab = new Lab("x(y w) p z", 3);
    const [x, y, z] = ["x", "y", "z"].map((name) => keyOf(lab.keys, name));
    if (!x || !y || !z) throw new Error("not planted");
    const [adder, mover, trasher] = lab.devices;
    if (!adder || !mover || !trasher) throw new Error("no devices");
    plant(adder.outline, "new", x);
    adder.outline.move(z, { parent: x });
    mover.outline.move(y, { parent: keyOf(lab.keys, "p") });
    trasher.outline.trash(x, trasher.seen);
    trasher.outline.restore(x);
    lab.server.outline.remove(x);
    lab.meet();
    for (const { outline } of [lab.server, ...lab.devices]) {
      expect(shape(outline)).toBe("new z p(y)");
      // What was typed into it is (D91).
      expect(outline.trashedKeys()).not.toContain(x);
    }
  });

  test("nobody who has seen it can take it back, with whatever program", () => {
    const lab = new Lab("x z");
    const x = keyOf(lab.keys, "x");
    lab.server.outline.remove(x);
    lab.pullAll();
    textOf(nodesOf(lab.device(0).doc), x)?.setAttribute("d", "");
    lab.meet();
    expect(shape(lab.server.outline)).toBe("z");
    textOf(nodesOf(lab.device(1).doc), x)?.removeAttribute("d");
    lab.meet();
    for (const { outline } of [lab.server, ...lab.devices]) expect(shape(outline)).toBe("z");
  });

  test("what is removed from the document does not come back", () => {
    const lab = new Lab("x(y) z");
    const x = keyOf(lab.keys, "x");
    const device = lab.device(0);
    device.outline.trash(x, device.seen);
    device.outline.restore(x);
    device.outline.update(x, { name: "edited" });
    lab.server.outline.remove(x);
    for (const _ of purge(lab.server.outline, () => true));
    expect(nodesOf(lab.server.doc).has(x)).toBe(false);
    lab.meet();
    for (const { outline } of [lab.server, ...lab.devices]) {
      expect(shape(outline)).toBe("z");
      // What was typed into it is (D91).
      expect(outline.trashedKeys()).not.toContain(x);
    }
  });

  test("a reserved node comes back when it is needed, and for nothing else", () => {
    const day = dayKey(2026, 11, 20);
    for (const key of [day, INBOX] satisfies NodeKey[]) {
      const lab = new Lab("a");
      plant(lab.server.outline, "old", key);
      lab.pullAll();
      const device = lab.device(0);
      device.outline.trash(key, device.seen);
      device.outline.restore(key);
      lab.server.outline.remove(key);
      lab.meet();
      for (const { outline } of [lab.server, ...lab.devices]) expect(outline.has(key)).toBe(false);
      plant(device.outline, "new", key);
      lab.meet();
      for (const { outline } of [lab.server, ...lab.devices]) {
        expect(outline.children(key).map(({ name }) => name)).toEqual(["new"]);
      }
    }
  });
});

test("[D72, D31] a restart in the midst of it changes nothing", () => {
  everyOrder({ notation: "x(y) p z", acts: [remove, trashAndTakeBack] }, (outline, at, lab) => {
    // Once for each end.
    if (outline !== lab.server.outline) return;
    lab.server.saveSnapshot();
    lab.server.restart();
    lab.server.repair.run();
    expect(lab.server.outline.has(at("x"))).toBe(false);
  });
});

describe("[D111] what is written again under the key of a node that was deleted for good", () => {
  /** A stock client writes another text under a key. */
  const setAgain = (device: Device, key: NodeKey): void => {
    const nodes = nodesOf(device.doc);
    const place = [...nodes.values()].find((text) => text.toJSON() === "z")?.getAttribute("p");
    device.doc.transact(() => {
      const text = new Y.Text();
      nodes.set(key, text);
      text.insert(0, "written again");
      text.setAttribute("p", place);
    });
  };
  const expectGone = (lab: Lab, key: NodeKey): void => {
    for (const { outline } of [lab.server, ...lab.devices]) {
      expect(outline.has(key)).toBe(false);
      expect(shape(outline)).toBe("z");
      expect(outline.trashedKeys()).not.toContain(key);
      const trashed = outline
        .trashedKeys()
        .map((each) => textOf(nodesOf(outline.doc), each)?.toJSON());
      expect(trashed).toEqual(["written again"]);
    }
  };
  const purgeAll = ({ server }: Lab): void => {
    for (const _ of purge(server.outline, () => true));
  };

  test.each(["deleted", "removed"])("does not bring it back where it was only %s", (how) => {
    for (const knows of [true, false]) {
      for (const first of [0, 1]) {
        const lab = new Lab("x z");
        const x = keyOf(lab.keys, "x");
        const [one, other] = [lab.device(first), lab.device(1 - first)];
        if (!knows) setAgain(one, x);
        lab.server.outline.remove(x);
        if (how === "removed") purgeAll(lab);
        lab.pull(other);
        if (knows) {
          lab.pull(one);
          setAgain(one, x);
        }
        lab.meet();
        lab.meet();
        expectGone(lab, x);
      }
    }
  });

  test("does not bring it back after a restart either, from a snapshot or the log", () => {
    for (const hasSnapshot of [true, false]) {
      const lab = new Lab("x z");
      const x = keyOf(lab.keys, "x");
      lab.server.outline.remove(x);
      purgeAll(lab);
      if (hasSnapshot) lab.server.saveSnapshot();
      lab.server.restart();
      lab.pullAll();
      setAgain(lab.device(0), x);
      lab.meet();
      lab.meet();
      expectGone(lab, x);
    }
  });

  test("but an entry that a client has removed itself comes back, after a restart too", () => {
    for (const how of ["at once", "from a snapshot", "from the log"]) {
      const lab = new Lab("x z");
      const x = keyOf(lab.keys, "x");
      const device = lab.device(0);
      const undo = new Y.UndoManager(nodesOf(device.doc), { captureTimeout: 0 });
      nodesOf(device.doc).delete(x);
      lab.meet();
      expect(shape(lab.server.outline)).toBe("z");
      if (how === "from a snapshot") lab.server.saveSnapshot();
      if (how !== "at once") lab.server.restart();
      undo.undo();
      lab.meet();
      lab.meet();
      for (const { outline } of [lab.server, ...lab.devices]) expect(shape(outline)).toBe("x z");
    }
  });

  test("nor does it when a client has removed what was deleted for good", () => {
    const lab = new Lab("x z");
    const x = keyOf(lab.keys, "x");
    lab.server.outline.remove(x);
    lab.pullAll();
    nodesOf(lab.device(0).doc).delete(x);
    lab.meet();
    setAgain(lab.device(1), x);
    lab.meet();
    lab.meet();
    expectGone(lab, x);
  });
});
