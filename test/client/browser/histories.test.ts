import { expect, test } from "vitest";
import {
  PlainOutline,
  readTrace,
  type TraceCommit,
  type TraceOperation,
} from "../../property/trace-history.ts";
import { runs } from "../../support/runs.ts";
import { eventually, SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";
import { TracePlayer, typedName } from "../support/trace-player.ts";

const stage = useStage();

/** Where it begins: a hundred lines, or eighty. */
const FROM = runs(59, 34);
/** Up to which merge it goes. Before each of them two people worked apart, from the same lines on. */
const TO = 67;

/** The commits from one (which is left out) to another, by first parents. */
function wayTo(commits: readonly TraceCommit[], from: number, to: number): readonly TraceCommit[] {
  const way: TraceCommit[] = [];
  for (let at = to; at !== from;) {
    const commit = commits[at];
    const first = commit?.parents[0];
    if (commit === undefined || first === undefined) throw new Error(`${from} is not before ${to}`);
    way.unshift(commit);
    at = first;
  }
  return way;
}

/** The latest commit of a way that another commit descends from by first parents. */
function forkOf(commits: readonly TraceCommit[], way: ReadonlySet<number>, of: number): number {
  let at = of;
  while (!way.has(at)) at = commits[at]?.parents[0] ?? FROM;
  return at;
}

const linesOf = (outline: PlainOutline): readonly string[] =>
  outline.lines().map((line) => {
    const [depth = "1", name = ""] = line.split("\t");
    return `${"  ".repeat(Number(depth) - 1)}${typedName(name)}`;
  });

test("[D54, L8] two people do with keys what a real list's history says, and what they merge is as people made it", async () => {
  const commits = readTrace("awesome");
  const key = await stage.person();
  const { server } = stage;
  const outline = new PlainOutline();
  const keys = new Map<string, string>();
  for (const { operations } of [...(commits[0] ? [commits[0]] : []), ...wayTo(commits, 0, FROM)]) {
    for (const operation of operations) outline.apply(operation);
  }
  const root = await server.create("the list", undefined, key);
  const operations = Array.from(outline.ids(), (id) => {
    const parent = outline.parentOf(id);
    const name = typedName(outline.nameOf(id));
    const to = { parent_id: parent === null ? root : `$${parent}`, position: "bottom" };
    return { op: "create", name, ...to, as: `$${id}` };
  });
  const { body } = await server.call("POST", "batch", { operations }, key);
  const { handles } = body as { handles: Readonly<Record<string, string>> };
  for (const id of outline.ids()) keys.set(id, handles[`$${id}`]?.slice(-12) ?? "");
  const [anna, ben] = [await stage.device(key), await stage.device(key)];
  for (const device of [anna, ben]) {
    await device.page.goto(`${device.network.url}/#/${root}`);
    await device.reaches("saved");
  }

  const way = wayTo(commits, FROM, TO);
  const onWay = new Set([FROM, ...way.map(({ number }) => number)]);
  const [hers, his] = [
    new TracePlayer(anna, keys, outline),
    new TracePlayer(ben, keys, new PlainOutline(outline)),
  ];
  const play = async (player: TracePlayer, operations: readonly TraceOperation[]) => {
    for (const operation of operations) await player.play(operation);
  };
  /** Waits until either shows these lines and no others. */
  const both = async (lines: readonly string[]): Promise<void> => {
    for (const player of [hers, his]) {
      await eventually(
        () => player.lines(),
        (shown) => expect(shown).toEqual(lines),
      );
    }
  };
  /** By the commit from which on he works apart: what he does meanwhile. */
  const apart = new Map<number, readonly TraceCommit[]>();
  for (const { parents } of way) {
    const [, second] = parents;
    if (second === undefined) continue;
    const fork = forkOf(commits, onWay, second);
    apart.set(fork, wayTo(commits, fork, second));
  }
  let merges = 0;
  const leave = async (number: number): Promise<void> => {
    const work = apart.get(number);
    if (work === undefined) return;
    await both(linesOf(hers.outline));
    his.outline = new PlainOutline(hers.outline);
    await ben.network.refuse();
    for (const { operations } of work) await play(his, operations);
    await ben.reaches("local");
  };
  await leave(FROM);
  for (const { number, parents, operations } of way) {
    if (parents.length === 1) await play(hers, operations);
    else {
      merges++;
      await ben.comeBack();
      for (const operation of operations) hers.outline.apply(operation);
      await both(linesOf(hers.outline));
      for (const device of [anna, ben]) await device.reaches("saved");
    }
    await leave(number);
  }
  expect(merges).toBe(runs(2, 3));
  await expect.poll(() => server.sketch(key, root), SOON).toEqual(linesOf(hers.outline));
});
