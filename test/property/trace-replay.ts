import { createHash } from "node:crypto";
import * as Y from "yjs";
import { newOutlineId, ROOT, type NodeKey } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import { Repair } from "../../src/core/merge/repair.ts";
import type { Position } from "../../src/core/tree/sibling-gap.ts";
import type { RichText } from "../../src/core/text/rich-text.ts";
import { compareRows } from "../../src/core/tree/tree-row.ts";
import { inspectUpdate } from "../support/inspect-update.ts";
import { writeRichText } from "../../src/core/text/write-rich-text.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { PlainOutline, type TraceCommit, type TraceOperation } from "./trace-history.ts";

/** What came of replaying a history. */
export interface ReplayResult {
  readonly commits: number;
  /** Merges of two branches that both changed the outline. */
  readonly merges: number;
  /** Those whose outcome is what people made of the merge. */
  readonly equal: number;
  readonly differing: readonly number[];
  /** The replica's outline in the end, one line for each node. */
  readonly lastLines: readonly string[];
}

/** Commits between two comparisons of the whole replica; merges are always compared. */
const CHECK_EVERY = 25;

/** How a rename is written. A test may give another one to show that it matters. */
type WriteName = (text: Y.Text, name: RichText) => unknown;

const random = seededRandom(1);
const OUTLINE = newOutlineId(random);
let lastClient = 0;

/** A replica that follows one line of commits. */
class Branch {
  readonly doc = new Y.Doc();
  readonly outline: Outline;
  readonly #repair: Repair;
  readonly #keys: Map<string, NodeKey>;
  readonly #writeName: WriteName;
  nowMs = 0;
  #seq = 0;
  /** All that this replica has, update by update. */
  readonly #log: Set<Uint8Array>;

  constructor(writeName: WriteName, from?: Branch) {
    this.#writeName = writeName;
    this.#seq = from === undefined ? 0 : from.#seq;
    this.#log = new Set(from === undefined ? [] : from.#log);
    if (from !== undefined) Y.applyUpdate(this.doc, Y.encodeStateAsUpdate(from.doc));
    this.doc.clientID = ++lastClient;
    this.#keys = new Map(from === undefined ? [] : from.#keys);
    this.nowMs = from?.nowMs ?? 0;
    this.outline = Outline.attach(this.doc, { id: OUTLINE, now: () => this.nowMs, random });
    this.#repair = Repair.attach(
      this.outline,
      from === undefined ? undefined : from.#repair.encode(from.#seq),
    );
    this.doc.on("update", (update, origin, _doc, { beforeState, afterState }: Y.Transaction) => {
      if (!(origin instanceof Branch)) this.#log.add(update);
      const ends = [...afterState].filter(([client, end]) => beforeState.get(client) !== end);
      this.#repair.record(ends, ++this.#seq);
    });
  }

  apply(operations: readonly TraceOperation[], timeMs: number): void {
    this.nowMs = Math.max(this.nowMs + 1, timeMs);
    this.doc.transact(() => {
      for (const operation of operations) this.#apply(operation);
    });
  }

  /** Takes in what another branch did, as a server that gets its updates. */
  merge(other: Branch): void {
    for (const update of other.#log) {
      if (this.#log.has(update)) continue;
      const inspection = inspectUpdate(this.doc, update);
      if (inspection.kind === "ok") {
        const { clients, plan, deletedAgain } = inspection;
        const author = clients.length === 1 ? clients[0]?.client : undefined;
        const deletions = { author, fresh: plan.deletes, again: deletedAgain, ownSince: 0 };
        this.#repair.noteDeletions(deletions);
      }
      Y.applyUpdate(this.doc, update, other);
      this.#log.add(update);
    }
    this.#repair.run();
    for (const [id, key] of other.#keys) if (!this.#keys.has(id)) this.#keys.set(id, key);
  }

  lines(): readonly string[] {
    const depths = new Map<NodeKey, number>([[ROOT, 0]]);
    const texts = this.doc.getMap<Y.Text>("nodes");
    const lines: string[] = [];
    for (const key of this.outline.keysInOrder()) {
      const parent = this.outline.tree.rowAt(key)?.parent?.key ?? ROOT;
      const depth = (depths.get(parent) ?? 0) + 1;
      depths.set(key, depth);
      lines.push(`${depth}\t${texts.get(key)?.toJSON()}`);
    }
    return lines;
  }

  /**
   * Makes the outline what people made of it, with the fewest edits: what is gone is deleted first,
   * and of siblings in another order the most that are in order stay where they are.
   */
  bringTo(wanted: PlainOutline): void {
    this.nowMs++;
    this.doc.transact(() => {
      const ids = [...wanted.ids()];
      const keysOf = (): ReadonlySet<NodeKey | undefined> =>
        new Set(ids.map((id) => this.#keys.get(id)));
      const kept = keysOf();
      this.#removeBut(kept, (key) => this.#hasBelow(key, kept));
      for (const parent of [null, ...ids]) this.#settle(parent, wanted);
      this.#removeBut(keysOf(), () => false);
    });
  }

  /** Removes what is not to be kept, the topmost of it. */
  #removeBut(kept: ReadonlySet<NodeKey | undefined>, isLater: (key: NodeKey) => boolean): void {
    for (const key of this.outline.keysInOrder()) {
      if (!kept.has(key) && this.outline.has(key) && !isLater(key)) this.outline.remove(key);
    }
  }

  #hasBelow(key: NodeKey, kept: ReadonlySet<NodeKey | undefined>): boolean {
    return this.outline
      .childKeys(key)
      .some((child) => kept.has(child) || this.#hasBelow(child, kept));
  }

  /** Gives a node the children that it should have, in order; what is above it is settled already. */
  #settle(parent: string | null, wanted: PlainOutline): void {
    const ids = wanted.childrenOf(parent);
    const places = new Map(this.outline.childKeys(this.#keyOf(parent)).map((key, at) => [key, at]));
    const staying = longestAscending(
      ids.flatMap((id) => {
        const key = this.#keys.get(id);
        const at = key === undefined ? undefined : places.get(key);
        return at === undefined ? [] : [{ id, at }];
      }),
    );
    let after: string | null = null;
    for (const id of ids) {
      const key = this.#keys.get(id);
      const name = wanted.nameOf(id);
      if (key === undefined || !this.outline.has(key)) {
        this.#apply({ op: "create", id, parent, after, name });
      } else {
        // What was put before a sibling of the same order key stands behind it.
        const stays = staying.has(id) && this.#isBefore(after, key);
        if (!stays) this.#apply({ op: "move", id, parent, after });
        this.#rename(key, name);
      }
      after = id;
    }
  }

  #isBefore(first: string | null, sibling: NodeKey): boolean {
    const one = first === null ? undefined : this.outline.tree.rowAt(this.#keyOf(first));
    const other = this.outline.tree.rowAt(sibling);
    return one === undefined || other === undefined || compareRows(one, other) < 0;
  }

  #apply(operation: TraceOperation): void {
    switch (operation.op) {
      case "create": {
        const { id, parent, after, name } = operation;
        const key = this.outline.createPlain({
          parent: this.#keyOf(parent),
          position: this.#positionAfter(after),
          name: name === "" ? [] : [{ insert: name }],
        });
        this.#keys.set(id, key);
        break;
      }
      case "rename":
        this.#rename(this.#keyOf(operation.id), operation.name);
        break;
      case "move": {
        const { id, parent, after } = operation;
        const to = { parent: this.#keyOf(parent), position: this.#positionAfter(after) };
        if (this.outline.move(this.#keyOf(id), to).kind !== "ok") throw new Error("no such move");
        break;
      }
      case "delete":
        if (this.outline.remove(this.#keyOf(operation.id)).kind !== "ok") {
          throw new Error("no such deletion");
        }
        break;
    }
  }

  #rename(key: NodeKey, name: string): void {
    const text = this.doc.getMap<Y.Text>("nodes").get(key);
    if (text !== undefined) this.#writeName(text, name === "" ? [] : [{ insert: name }]);
  }

  #positionAfter(after: string | null): Position {
    return after === null ? "top" : { after: this.#keyOf(after) };
  }

  #keyOf(id: string | null): NodeKey {
    const key = id === null ? ROOT : this.#keys.get(id);
    if (key === undefined) throw new Error(`nobody has made ${id}`);
    return key;
  }
}

/** The most siblings whose places ascend in this order (Schensted, 1961). */
function longestAscending(
  siblings: readonly { readonly id: string; readonly at: number }[],
): ReadonlySet<string> {
  interface Chain {
    readonly id: string;
    readonly at: number;
    readonly before: Chain | undefined;
  }
  /** For each length the chain of it that ends at the smallest place. */
  const chains: Chain[] = [];
  for (const { id, at } of siblings) {
    const found = chains.findIndex((chain) => chain.at > at);
    const length = found === -1 ? chains.length : found;
    chains[length] = { id, at, before: chains[length - 1] };
  }
  const ids = new Set<string>();
  for (let chain = chains.at(-1); chain !== undefined; chain = chain.before) ids.add(chain.id);
  return ids;
}

/** The fingerprint of an outline: equal for equal ones. */
export function digestOf(lines: readonly string[]): string {
  return createHash("sha256")
    .update(lines.map((line) => `${line}\n`).join(""))
    .digest("hex");
}

/**
 * Replays a history of branches and merges: each branch is a replica, each merge is a merge of two
 * replicas, and its outcome is compared with what people made of it.
 */
export function replay(
  commits: readonly TraceCommit[],
  writeName: WriteName = writeRichText,
): ReplayResult {
  const branches = new Map<number, Branch>();
  const outlines = new Map<number, PlainOutline>();
  const fingerprints: string[] = [];
  const uses = commits.map(() => 0);
  for (const { parents } of commits)
    for (const parent of parents) uses[parent] = (uses[parent] ?? 0) + 1;

  /** What there is at a commit, or a copy of it when another commit still needs it. */
  const takeOver = <T>(
    from: Map<number, T>,
    parent: number | undefined,
    copy: (from?: T) => T,
  ): T => {
    const there = parent === undefined ? undefined : from.get(parent);
    if (there === undefined || parent === undefined) return copy();
    return uses[parent] === 1 ? there : copy(there);
  };
  const release = (parent: number): void => {
    uses[parent] = (uses[parent] ?? 1) - 1;
    if (uses[parent] > 0) return;
    branches.delete(parent);
    outlines.delete(parent);
  };

  const differing: number[] = [];
  let merges = 0;
  let last: Branch | undefined;
  for (const commit of commits) {
    const { number, parents, operations, time } = commit;
    const [first, second] = parents;
    const branch = takeOver(branches, first, (from) => new Branch(writeName, from));
    const outline = takeOver(outlines, first, (from) => new PlainOutline(from));
    for (const operation of operations) outline.apply(operation);
    fingerprints[number] = digestOf(outline.lines());
    if (second === undefined) {
      branch.apply(operations, time * 1000);
    } else {
      const other = branches.get(second);
      if (other === undefined) throw new Error(`commit ${second} is gone`);
      branch.nowMs = Math.max(branch.nowMs, other.nowMs, time * 1000);
      branch.merge(other);
      if (haveBothChanged(commits, fingerprints, first ?? 0, second)) {
        merges++;
        if (digestOf(branch.lines()) !== fingerprints[number]) differing.push(number);
      }
      branch.bringTo(outline);
    }
    const isChecked = second !== undefined || number % CHECK_EVERY === 0;
    if (isChecked && digestOf(branch.lines()) !== fingerprints[number]) {
      throw new Error(`commit ${number}: the replica is not what the trace says`);
    }
    branches.set(number, branch);
    outlines.set(number, outline);
    for (const parent of parents) release(parent);
    last = branch;
  }
  return {
    commits: commits.length,
    merges,
    equal: merges - differing.length,
    differing,
    lastLines: last?.lines() ?? [],
  };
}

/** Whether two branches both differ from what they have in common. */
function haveBothChanged(
  commits: readonly TraceCommit[],
  fingerprints: readonly string[],
  first: number,
  second: number,
): boolean {
  const base = mergeBase(commits, first, second);
  const common = base === undefined ? "" : fingerprints[base];
  return fingerprints[first] !== common && fingerprints[second] !== common;
}

/** The latest commit that both descend from: parents have smaller numbers. */
function mergeBase(
  commits: readonly TraceCommit[],
  first: number,
  second: number,
): number | undefined {
  const sides = new Map([
    [first, 1],
    [second, first === second ? 3 : 2],
  ]);
  for (let number = Math.max(first, second); number >= 0; number--) {
    const side = sides.get(number);
    if (side === 3) return number;
    if (side === undefined) continue;
    for (const parent of commits[number]?.parents ?? []) {
      sides.set(parent, (sides.get(parent) ?? 0) | side);
    }
  }
  return undefined;
}
