import { expect, test } from "vitest";
import * as Y from "yjs";
import {
  CALENDAR,
  dayKey,
  INBOX,
  monthKey,
  ROOT,
  yearKey,
  type NodeKey,
} from "../../../src/core/node-key.ts";
import { checkOutline } from "../../../src/core/check-outline.ts";
import { Lab, soloOutline } from "../../support/lab.ts";
import { keyOf, plant, shape } from "../../support/outline-notation.ts";
import { oneOf, seededRandom } from "../../support/seeded-random.ts";

const DAY = dayKey(2026, 11, 20);

test("[D40] two devices make the same day at once, and what both typed is there", () => {
  const lab = new Lab("a");
  for (const [index, name] of ["one", "two"].entries()) {
    const { outline, doc } = lab.device(index);
    outline.create({ parent: DAY, name });
    doc.getMap<Y.Text>("nodes").get(DAY)?.insert(0, `${name} typed `);
  }
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(
      outline
        .children(DAY)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(["one", "two"]);
    const name = outline.node(DAY)?.name ?? "";
    expect([...name.matchAll(/one typed |two typed |Fri, Nov 20, 2026/g)]).toHaveLength(3);
    expect(outline.childKeys(CALENDAR)).toEqual([yearKey(2026)]);
    expect(outline.childKeys(yearKey(2026))).toEqual([monthKey(2026, 11)]);
  }
});

test("[D40] days, months and years keep their order, however they come", () => {
  const outline = soloOutline();
  const days = [
    [2026, 11, 20],
    [2027, 1, 5],
    [2026, 2, 1],
    [2026, 11, 3],
    [1999, 12, 31],
  ] as const;
  for (const [year, month, day] of days) {
    outline.create({ parent: dayKey(year, month, day), name: "x" });
  }
  expect(outline.childKeys(CALENDAR)).toEqual([yearKey(2027), yearKey(2026), yearKey(1999)]);
  expect(outline.childKeys(yearKey(2026))).toEqual([monthKey(2026, 2), monthKey(2026, 11)]);
  expect(outline.childKeys(monthKey(2026, 11))).toEqual([dayKey(2026, 11, 3), DAY]);
});

test("[D41] a deleted one that is needed again comes back empty under the same key", () => {
  const outline = soloOutline();
  outline.create({ parent: DAY, name: "old" });
  outline.update(DAY, { note: "old note", completed: true });
  for (const deleted of [DAY, monthKey(2026, 11), CALENDAR]) {
    outline.remove(deleted);
    expect(outline.has(DAY)).toBe(false);
    outline.create({ parent: DAY, name: `after ${deleted}` });
    expect(outline.children(DAY).map(({ name }) => name)).toEqual([`after ${deleted}`]);
    expect(outline.node(DAY)).toMatchObject({
      parent: monthKey(2026, 11),
      note: null,
      completedAt: null,
    });
    expect(outline.node(CALENDAR)?.parent).toBe(ROOT);
  }
});

test("[D41] one that was moved into what was deleted goes back to where it belongs", () => {
  const lab = new Lab("project a");
  const project = keyOf(lab.keys, "project");
  const { outline } = lab.server;
  outline.create({ parent: DAY, name: "old" });
  outline.move(DAY, { parent: project });
  outline.create({ parent: DAY, name: "in the project" });
  expect(outline.node(DAY)?.parent).toBe(project);
  outline.remove(project);
  outline.create({ parent: DAY, name: "new" });
  expect(outline.node(DAY)?.parent).toBe(monthKey(2026, 11));
  expect(shape(outline, DAY)).toBe("new");
});

test("[D41] a new day goes into its month wherever that is now", () => {
  const lab = new Lab("project a");
  const project = keyOf(lab.keys, "project");
  const { outline } = lab.server;
  outline.create({ parent: DAY, name: "x" });
  outline.move(monthKey(2026, 11), { parent: project });
  outline.remove(CALENDAR);
  outline.create({ parent: dayKey(2026, 11, 21), name: "y" });
  expect(outline.contains(project, dayKey(2026, 11, 21))).toBe(true);
  expect(outline.has(CALENDAR)).toBe(false);
});

test("[D42] a seed inside a transaction leaves the author who it is", () => {
  const outline = soloOutline();
  const origins: unknown[] = [];
  outline.doc.on("afterTransaction", ({ local, origin }: Y.Transaction) =>
    origins.push([local, origin]),
  );
  outline.doc.transact(() => {
    outline.create({ parent: DAY, name: "x" });
    outline.create({ parent: INBOX, name: "y" });
  }, "mine");
  expect(origins).toEqual([[true, "mine"]]);
  expect(outline.doc.clientID).toBe(1);
  const copy = new Y.Doc();
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(outline.doc));
  expect(copy.getMap("nodes").size).toBe(outline.doc.getMap("nodes").size);
});

test("[D42] nor does it take in what waits for other updates", () => {
  const lab = new Lab("a");
  const [first, second] = [lab.device(0), lab.device(1)];
  const text = (doc: Y.Doc): Y.Text | undefined =>
    doc.getMap<Y.Text>("nodes").get(keyOf(lab.keys, "a"));
  text(second.doc)?.insert(0, "1");
  text(second.doc)?.insert(1, "2");
  const [one, two] = second.unsent;
  if (one === undefined || two === undefined) throw new Error("nothing was written");
  first.receive(two);
  first.outline.create({ parent: DAY, name: "x" });
  const mine = first.unsent.flatMap((update) => [...Y.parseUpdateMeta(update).from.keys()]);
  expect(mine).not.toContain(11);
  first.receive(one);
  expect(first.outline.node(keyOf(lab.keys, "a"))?.name).toBe("12a");
});

test("[D43] a move into what is not there yet is refused when it would end below itself", () => {
  const outline = soloOutline();
  const made = outline.create({ parent: DAY, name: "x" });
  if (made.kind !== "created") throw new Error(made.kind);
  const later = dayKey(2026, 12, 1);
  const refused = { kind: "invalid_parent" };
  expect(outline.move(CALENDAR, { parent: later })).toEqual(refused);
  expect(outline.move(yearKey(2026), { parent: later })).toEqual(refused);
  expect(outline.has(later)).toBe(false);
  expect(outline.move(monthKey(2026, 11), { parent: later })).toEqual({ kind: "ok" });
  expect(outline.contains(later, made.key)).toBe(true);
  const none = "0000ffff0000" as NodeKey;
  const noSuchDay = "000020260230" as NodeKey;
  expect(outline.create({ parent: none, name: "x" })).toEqual({ kind: "not_found" });
  expect(outline.create({ parent: noSuchDay, name: "x" })).toEqual({ kind: "not_found" });
});

test("[K12, A69] where a missing one would come to stand is known before it is made", () => {
  const random = seededRandom(20);
  const reserved = [INBOX, CALENDAR, yearKey(2026), monthKey(2026, 11), DAY];
  const seen = { inside: 0, outside: 0, away: 0 };
  for (let round = 0; round < 300; round++) {
    const outline = soloOutline(undefined, round + 1);
    const nodes = [...reserved, ...Object.values(plant(outline, "a(b) c"))];
    outline.create({ parent: INBOX, name: "x" });
    outline.create({ parent: DAY, name: "x" });
    for (let step = 0; step < 8; step++) {
      if (random() < 0.4) outline.remove(oneOf(random, nodes));
      else outline.move(oneOf(random, nodes), { parent: oneOf(random, [ROOT, ...nodes]) });
    }
    const missing = reserved.filter((key) => !outline.has(key));
    const scopes = nodes.filter((key) => outline.has(key));
    const [made] = missing.length === 0 ? [] : [oneOf(random, missing)];
    if (made === undefined) continue;
    const wouldContain = scopes.map((scope) => outline.wouldContain(scope, made));
    const before = scopes.map((scope) => outline.node(scope)?.parent);
    expect(outline.wouldContain(ROOT, made)).toBe(true);
    outline.create({ parent: made, name: "y" });
    expect(scopes.map((scope) => outline.contains(scope, made))).toEqual(wouldContain);
    expect(scopes.map((scope) => outline.node(scope)?.parent)).toEqual(before);
    // What is made above it stands with it, inside or outside.
    for (const [index, scope] of scopes.entries()) {
      const along = missing.filter((key) => outline.has(key));
      expect(along.map((key) => outline.contains(scope, key))).toEqual(
        along.map(() => wouldContain[index]),
      );
      const own = outline.node(made)?.parent;
      if (wouldContain[index] === true && !reserved.includes(scope)) seen.inside++;
      else if (wouldContain[index] === false) seen.outside++;
      if (own !== undefined && !reserved.includes(own)) seen.away++;
    }
  }
  expect(Object.values(seen).every((count) => count > 40)).toBe(true);
});

test("[D41] the entry of a reserved node that a client removes is made again, under its name", () => {
  const lab = new Lab("a");
  const day = dayKey(2026, 11, 20);
  const [stock, device] = [lab.device(0), lab.device(1)];
  device.outline.create({ parent: day, name: "task" });
  device.outline.create({ parent: INBOX, name: "idea" });
  // A day that came with the seed of its month, and has nothing in it.
  const empty = dayKey(2026, 11, 21);
  lab.meet();
  const before = [...lab.server.outline.keysInOrder()];
  const names = new Map([day, INBOX, CALENDAR].map((key) => [key, stock.outline.node(key)?.name]));
  const time = '<time startYear="2026" startMonth="11" startDay="21">';
  const emptyName = `${time}Sat, Nov 21, 2026</time>`;
  for (const key of [...names.keys(), empty]) stock.doc.getMap("nodes").delete(key);
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    for (const [key, name] of names) expect(outline.node(key)?.name).toBe(name);
    expect(outline.has(empty)).toBe(false);
    expect(checkOutline(outline)).toEqual([]);
  }
  const after = [...lab.server.outline.keysInOrder()];
  expect(after.toSorted()).toEqual(before.toSorted());
  // What needs it later finds it: a device makes no entry of its own, which the server would refuse.
  device.outline.create({ parent: empty, name: "later" });
  expect(device.outline.node(empty)?.name).toBe(emptyName);
  lab.meet();
  expect(lab.server.outline.node(empty)?.name).toBe(emptyName);
  expect(lab.server.repair.run()).toBe(false);
});

test("[D41] an entry that was removed before is made again when the outline is opened", () => {
  const lab = new Lab("a");
  const { server } = lab;
  server.outline.create({ parent: INBOX, name: "idea" });
  server.repair.run();
  server.doc.getMap("nodes").delete(INBOX);
  server.saveSnapshot();
  server.restart();
  expect(server.repair.run()).toBe(true);
  expect(server.outline.node(INBOX)?.name).toBe("Inbox");
  expect(server.repair.run()).toBe(false);
});
