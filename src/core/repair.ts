import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import type * as Y from "yjs";
import { Arrivals } from "./arrivals.ts";
import { DoneTwice, type Duplicates } from "./done-twice.ts";
import { lostMoveOf } from "./lost-move.ts";
import type { NodeKey } from "./node-key.ts";
import type { Outline } from "./outline.ts";
import type { Placement } from "./placement.ts";
import { needsRebalance, rebalance } from "./rebalance.ts";
import { rescue } from "./rescue.ts";
import { ATTRIBUTE, nodesOf, ownerOf, textOf } from "./schema.ts";
import { runToEnd } from "./run-to-end.ts";
import { sortInSlices } from "./sort-in-slices.ts";
import { compareRows, type TreeRow } from "./tree-row.ts";
import type { DeleteSection } from "./update-reader.ts";
import { Unseen } from "./unseen.ts";
import { AT_ONCE, groups, weighed } from "./weighed-steps.ts";

/** The origin of these transactions, for who looks at them. */
const REPAIR_ORIGIN = Symbol("repair");

/** What repair does to a node. */
export type RepairKind =
  | "laterMove"
  | "sameEdit"
  | "sameSplit"
  | "writtenDown"
  | "voided"
  | "rescued"
  | "rebalanced"
  | "stamped";

/** The parts of repair; tests leave one out to show that it is needed. */
export interface RepairSteps {
  readonly rescue: boolean;
  readonly voidDeletions: boolean;
  readonly writeDown: boolean;
  readonly laterMoves: boolean;
  readonly doneTwice: boolean;
}

export const ALL_REPAIR_STEPS: RepairSteps = {
  rescue: true,
  voidDeletions: true,
  writeDown: true,
  laterMoves: true,
  doneTwice: true,
};

/** A remote edit that leaves a node's time this far behind is stamped. */
const STALE_MS = 60_000;
/** How many nodes are remembered as not stale. */
const MAX_FRESH = 1_000;
/** Nodes that are looked at between two yields. */
const GLANCE = 512;
/** One round can make another necessary, though hardly ever; the next run goes on where this ends. */
const MAX_ROUNDS = 32;

/**
 * What the conflict rules leave to the server (docs/SPEC.md, rules D and M). After each update:
 *
 * - of two moves of one node, the later one wins;
 * - what two authors did alike to a text is done once;
 * - what is shown in place of a ring, or of a parent that is gone, is written down;
 * - a deletion whose deleter had not seen the node move is void; what was added to a deleted node
 *   unseen by its deleter is put where the deleted node was;
 * - order keys that have grown long are rebalanced;
 * - an edit by a client that keeps no time marks is stamped.
 *
 * One per document, on the server alone.
 */
export class Repair {
  readonly #outline: Outline;
  readonly #nodes: Y.Map<Y.Text>;
  readonly #steps: RepairSteps;
  readonly #arrivals: Arrivals;
  readonly #unseen: Unseen;
  readonly #stopListening: () => void;
  /** Rows that may be shown elsewhere than before: at most all rows [Q40]. */
  readonly #placed = new Set<NodeKey>();
  /** Nodes whose content was changed by a client that keeps no time marks, since the last run [Q40]. */
  readonly #undated = new Set<NodeKey>();
  /**
   * Until when a node need not be stamped again: saves looking at all its pieces every time. A
   * thousand of them [Q40].
   */
  readonly #freshUntil = new Map<NodeKey, number>();
  /** Since the last run [Q40]. */
  readonly #lostMoves = new Map<NodeKey, Placement>();
  readonly #doneTwice: DoneTwice;
  /** The update up to which everything has been decided. */
  #settled = 0;
  readonly #counts: Record<RepairKind, number> = {
    laterMove: 0,
    sameEdit: 0,
    sameSplit: 0,
    writtenDown: 0,
    voided: 0,
    rescued: 0,
    rebalanced: 0,
    stamped: 0,
  };

  private constructor(outline: Outline, annex: Uint8Array | undefined, steps: RepairSteps) {
    this.#outline = outline;
    this.#nodes = nodesOf(outline.doc);
    this.#steps = steps;
    if (annex === undefined) {
      this.#arrivals = new Arrivals();
    } else {
      const decoder = decoding.createDecoder(annex);
      this.#settled = decoding.readVarUint(decoder);
      this.#arrivals = Arrivals.decode(decoder);
    }
    this.#doneTwice = new DoneTwice(outline);
    this.#unseen = new Unseen(outline.tree, this.#nodes, this.#arrivals);
    const stopFollowing = outline.onChange(({ placed }) => {
      for (const key of placed) this.#placed.add(key);
    });
    outline.doc.on("afterTransaction", this.#observe);
    this.#stopListening = () => {
      stopFollowing();
      outline.doc.off("afterTransaction", this.#observe);
    };
  }

  /**
   * @param outline as it is after the whole log has been applied
   * @param annex what `encode` gave when the snapshot was made; absent when there is no snapshot.
   *   After that `record` must be called for each update behind the snapshot, then `run`.
   * @throws when the annex is not what `encode` gave
   */
  static attach(outline: Outline, annex?: Uint8Array, steps = ALL_REPAIR_STEPS): Repair {
    return runToEnd(Repair.attachInSlices(outline, annex, steps));
  }

  /** The same, yielding every millisecond or two. The document must not change meanwhile. */
  static *attachInSlices(
    outline: Outline,
    annex?: Uint8Array,
    steps = ALL_REPAIR_STEPS,
  ): Generator<void, Repair> {
    const repair = new Repair(outline, annex, steps);
    for (const row of yield* repair.#unseen.hiddenSince()) repair.#placed.add(row.key);
    return repair;
  }

  /** How many nodes have been repaired in which way, since this was made. */
  get counts(): Readonly<Record<RepairKind, number>> {
    return this.#counts;
  }

  /** Stops following the outline. */
  detach(): void {
    this.#stopListening();
  }

  /**
   * Notes the number that an update has, or will have, in the log. To be called for every update in
   * the order of the log, the own ones too.
   * @param ends for each client of the update, the clock behind its last struct in it
   */
  record(ends: Iterable<readonly [client: number, end: number]>, seq: number): void {
    for (const [client, end] of ends) this.#arrivals.note(client, end, seq);
  }

  /**
   * Notes what an update from outside deletes though it is deleted already: its author had not seen
   * that others had done so. To be called before it is applied.
   */
  noteDeletedAgain(sections: readonly DeleteSection[]): void {
    this.#doneTwice.noteDeletedAgain(sections);
  }

  /** `runInSlices` in one go. */
  run(): boolean {
    return runToEnd(this.runInSlices());
  }

  /**
   * Repairs what the updates since the last run made necessary, in transactions of its own, each of
   * some milliseconds; yields between them, and while it looks for what to do. Until it ends nobody
   * else may change the outline, or look at it.
   * @returns whether it wrote anything: that is to be made durable together with the updates
   */
  *runInSlices(): Generator<void, boolean> {
    let hasWritten = false;
    for (let round = 0; round < MAX_ROUNDS && !this.#isQuiet; round++) {
      const found = yield* this.#search();
      if (isEmpty(found)) break;
      this.#count(found);
      yield* this.#write(found);
      hasWritten = true;
    }
    this.#doneTwice.clear();
    this.#settled = this.#arrivals.latest;
    return hasWritten;
  }

  /** What `attach` needs to go on from a snapshot of this moment, after a `run`. */
  encode(): Uint8Array {
    const encoder = encoding.createEncoder();
    encoding.writeVarUint(encoder, this.#settled);
    this.#arrivals.encode(encoder);
    return encoding.toUint8Array(encoder);
  }

  /** The number of the update with which a node was marked deleted, as far as it is known. */
  deletedAt(key: NodeKey): number | undefined {
    return this.#unseen.markedAt(key);
  }

  /** Whether there is nothing to look at, as for nearly every keystroke. */
  get #isQuiet(): boolean {
    const { tree } = this.#outline;
    if (!this.#doneTwice.isQuiet) return false;
    if (this.#undated.size > 0 || this.#lostMoves.size > 0 || this.#placed.size > 0) return false;
    return tree.lastingFallen().length === 0;
  }

  /** What is to be done for all that happened since this was last asked. */
  *#search(): Generator<void, Found> {
    const { tree } = this.#outline;
    const stale = yield* this.#takeStale();
    const laterMoves: Moved[] = [];
    for (const [key, placement] of this.#steps.laterMoves ? this.#lostMoves : []) {
      const row = tree.rowAt(key);
      if (row !== undefined) laterMoves.push({ row, placement });
    }
    this.#lostMoves.clear();
    const twice = this.#steps.doneTwice ? yield* this.#doneTwice.find() : undefined;
    this.#doneTwice.clear();
    const lasting = this.#steps.writeDown ? tree.lastingFallen() : [];
    const placed: TreeRow[] = [];
    const long: TreeRow[] = [];
    let looked = 0;
    for (const key of this.#placed) {
      if (++looked % GLANCE === 0) yield;
      const row = tree.rowAt(key);
      if (row === undefined) continue;
      placed.push(row);
      if (needsRebalance(row, tree)) long.push(row);
    }
    this.#placed.clear();
    const { voided, rescued } = yield* this.#unseen.findings(placed, this.#settled);
    return {
      laterMoves,
      twice,
      lasting,
      voided: this.#steps.voidDeletions ? [...voided] : [],
      rescued: this.#steps.rescue ? rescued : NO_ROWS,
      long,
      stale,
    };
  }

  #count({ laterMoves, twice, lasting, voided, rescued, long, stale }: Found): void {
    this.#counts.laterMove += laterMoves.length;
    this.#counts.sameEdit += twice?.texts.size ?? 0;
    this.#counts.sameSplit += twice?.halves.size ?? 0;
    this.#counts.writtenDown += lasting.length;
    this.#counts.voided += voided.length;
    this.#counts.rescued += rescued.size;
    this.#counts.rebalanced += long.length;
    this.#counts.stamped += stale.length;
  }

  /** Does what was found, a part in each transaction. */
  *#write(found: Found): Generator<void> {
    const work = this.#writes(found);
    let isDone = false;
    for (;;) {
      this.#outline.doc.transact(() => {
        for (let written = 0; written < AT_ONCE && !isDone;) {
          const step = work.next();
          if (step.done === true) isDone = true;
          else written += step.value;
        }
      }, REPAIR_ORIGIN);
      if (isDone) return;
      yield;
    }
  }

  /** Yields how many nodes it has written since it last did. */
  *#writes({ laterMoves, twice, lasting, voided, rescued, long, stale }: Found): Generator<number> {
    const { tree, treeWriter, nodeWriter, doc } = this.#outline;
    for (const { row, placement } of laterMoves) {
      treeWriter.rewrite(row, placement);
      yield 1;
    }
    if (twice !== undefined) yield* this.#doneTwice.undo(twice);
    // The moves may have made others fall, or taken some of them to where their registers say.
    const fallen = lasting.length === 0 ? [] : tree.lastingFallen();
    for (const rows of groups(yield* weighed(sortInSlices(fallen, compareRows)))) {
      treeWriter.writeDown(rows.filter((row) => tree.fallenRows().has(row)));
      yield rows.length;
    }
    for (const rows of groups(voided)) {
      treeWriter.liftDeletions(rows);
      yield rows.length;
    }
    yield* weighed(rescue(this.#outline, rescued), 1);
    for (const row of long) {
      if (!needsRebalance(row, tree)) continue;
      yield* weighed(rebalance(row, treeWriter, doc.clientID));
      yield 1;
    }
    const nowSec = Math.floor(this.#outline.now() / 1000);
    for (const text of stale) {
      nodeWriter.stamp(text, nowSec);
      yield 1;
    }
  }

  /** The texts of nodes that a client without time marks has edited, and that seem to be older. */
  *#takeStale(): Generator<void, readonly Y.Text[]> {
    const stale: Y.Text[] = [];
    let looked = 0;
    for (const key of this.#undated) {
      const text = textOf(this.#nodes, key);
      if (text !== undefined && this.#isStale(key)) stale.push(text);
      if (++looked % GLANCE === 0) yield;
    }
    this.#undated.clear();
    return stale;
  }

  /** Whether a node that has just changed seems to have changed long ago. */
  #isStale(key: NodeKey): boolean {
    const nowMs = this.#outline.now();
    if (nowMs < (this.#freshUntil.get(key) ?? 0)) return false;
    const modifiedAt = this.#outline.modifiedAt(key);
    if (modifiedAt === undefined) return false;
    const isStale = modifiedAt * 1000 <= nowMs - STALE_MS;
    if (this.#freshUntil.size >= MAX_FRESH) this.#freshUntil.clear();
    this.#freshUntil.set(key, (isStale ? nowMs : modifiedAt * 1000) + STALE_MS);
    return isStale;
  }

  #noteLostMove(key: NodeKey): void {
    const text = textOf(this.#nodes, key);
    const lost = text === undefined ? undefined : lostMoveOf(text);
    if (lost !== undefined) this.#lostMoves.set(key, lost);
  }

  readonly #observe = (transaction: Y.Transaction): void => {
    if (transaction.local) return;
    this.#doneTwice.note(transaction);
    let isDated: boolean | undefined;
    for (const [type, names] of transaction.changed) {
      const owner = ownerOf(this.#nodes, type);
      if (owner === undefined) continue;
      if (owner.isNode && names.has(ATTRIBUTE.placement)) this.#noteLostMove(owner.key);
      if (owner.isNode && !changesContent(names)) continue;
      isDated ??= this.#outline.isDated(transaction);
      if (!isDated) this.#undated.add(owner.key);
    }
  };
}

/** Whether changed attributes of a node (null: its text) are among those that `modifiedAt` tells. */
function changesContent(names: ReadonlySet<string | null>): boolean {
  for (const name of names) {
    if (name === null || name === ATTRIBUTE.layout || name === ATTRIBUTE.completed) return true;
    if (name.startsWith(ATTRIBUTE.notePrefix)) return true;
  }
  return false;
}

/** What one round of repair has to do. */
interface Found {
  readonly laterMoves: readonly Moved[];
  /** Undefined when nothing was. */
  readonly twice: Duplicates | undefined;
  /** Fallen rows that are to be written down where they are shown. */
  readonly lasting: readonly TreeRow[];
  readonly voided: readonly TreeRow[];
  readonly rescued: ReadonlySet<TreeRow>;
  /** Rows with long orders. */
  readonly long: readonly TreeRow[];
  readonly stale: readonly Y.Text[];
}

interface Moved {
  readonly row: TreeRow;
  readonly placement: Placement;
}

const NO_ROWS: ReadonlySet<TreeRow> = new Set();

function isEmpty({ laterMoves, twice, lasting, voided, rescued, long, stale }: Found): boolean {
  return (
    laterMoves.length + lasting.length + voided.length + long.length + stale.length === 0 &&
    rescued.size === 0 &&
    twice === undefined
  );
}
