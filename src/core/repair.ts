import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import type * as Y from "yjs";
import { Arrivals } from "./arrivals.ts";
import { lostMoveOf } from "./lost-move.ts";
import type { NodeKey } from "./node-key.ts";
import type { Outline } from "./outline.ts";
import type { Placement } from "./placement.ts";
import { needsRebalance, rebalance } from "./rebalance.ts";
import { rescue } from "./rescue.ts";
import { ATTRIBUTE, nodesOf, ownerOf, textOf } from "./schema.ts";
import { Unseen } from "./unseen.ts";

/** The origin of these transactions, for who looks at them. */
const REPAIR_ORIGIN = Symbol("repair");

/** What repair does to a node. */
export type RepairKind =
  | "laterMove"
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
}

export const ALL_REPAIR_STEPS: RepairSteps = {
  rescue: true,
  voidDeletions: true,
  writeDown: true,
  laterMoves: true,
};

/** A remote edit that leaves a node's time this far behind is stamped. */
const STALE_MS = 60_000;
/** How many nodes are remembered as not stale. */
const MAX_FRESH = 1_000;
const NO_TASKS: readonly (() => void)[] = [];
const NO_TEXTS: readonly Y.Text[] = [];
/** One round can make another necessary, though hardly ever; the next run goes on where this ends. */
const MAX_ROUNDS = 32;

/**
 * What the conflict rules leave to the server (docs/SPEC.md, rules D and M). After each update:
 *
 * - of two moves of one node, the later one wins;
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
  /** Rows that may be shown elsewhere than before. */
  readonly #placed = new Set<NodeKey>();
  /** Nodes whose content was changed by a client that keeps no time marks. */
  readonly #undated = new Set<NodeKey>();
  /** Until when a node need not be stamped again: saves looking at all its pieces every time. */
  readonly #freshUntil = new Map<NodeKey, number>();
  readonly #lostMoves = new Map<NodeKey, Placement>();
  /** The update up to which everything has been decided. */
  #settled = 0;
  readonly #counts: Record<RepairKind, number> = {
    laterMove: 0,
    writtenDown: 0,
    voided: 0,
    rescued: 0,
    rebalanced: 0,
    stamped: 0,
  };

  /**
   * @param outline as it is after the whole log has been applied
   * @param annex what `encode` gave when the snapshot was made; absent when there is no snapshot.
   *   After that `record` must be called for each update behind the snapshot, then `run`.
   */
  constructor(outline: Outline, annex?: Uint8Array, steps: RepairSteps = ALL_REPAIR_STEPS) {
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
    this.#unseen = new Unseen(outline.tree, this.#nodes, this.#arrivals);
    for (const row of this.#unseen.hiddenSince()) this.#placed.add(row.key);
    const stopFollowing = outline.onChange(({ placed }) => {
      for (const key of placed) this.#placed.add(key);
    });
    outline.doc.on("afterTransaction", this.#observe);
    this.#stopListening = () => {
      stopFollowing();
      outline.doc.off("afterTransaction", this.#observe);
    };
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
   * Repairs what the updates since the last run made necessary, in transactions of its own.
   * True when it wrote anything: that is to be made durable together with the updates.
   */
  run(): boolean {
    let hasWritten = false;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const tasks = this.#tasks();
      if (tasks.length === 0) break;
      this.#outline.doc.transact(() => {
        for (const task of tasks) task();
      }, REPAIR_ORIGIN);
      hasWritten = true;
    }
    this.#settled = this.#arrivals.latest;
    return hasWritten;
  }

  /** What `new Repair` needs to go on from a snapshot of this moment, after a `run`. */
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

  /** What is to be written for all that happened since this was last asked. */
  #tasks(): readonly (() => void)[] {
    const { tree, treeWriter, nodeWriter, doc } = this.#outline;
    const stale = this.#takeStale();
    const isQuiet = stale.length === 0 && this.#lostMoves.size === 0 && this.#placed.size === 0;
    // As it is for nearly every keystroke.
    if (isQuiet && tree.fallenRows().size === 0) return NO_TASKS;
    const tasks: (() => void)[] = [];
    const add = (kind: RepairKind, times: number, task: () => void): void => {
      if (times === 0) return;
      this.#counts[kind] += times;
      tasks.push(task);
    };

    for (const [key, placement] of this.#steps.laterMoves ? this.#lostMoves : []) {
      const row = tree.rowAt(key);
      if (row !== undefined) add("laterMove", 1, () => treeWriter.rewrite(row, placement));
    }
    this.#lostMoves.clear();

    const lasting = this.#steps.writeDown ? treeWriter.lastingFallen().length : 0;
    add("writtenDown", lasting, () => treeWriter.writeDownFallen());

    const placed = [...this.#placed].flatMap((key) => tree.rowAt(key) ?? []);
    this.#placed.clear();
    const { voided, rescued } = this.#unseen.findings(placed, this.#settled);
    for (const row of this.#steps.voidDeletions ? voided : []) {
      add("voided", 1, () => treeWriter.liftDeletion(row));
    }
    add("rescued", this.#steps.rescue ? rescued.size : 0, () => rescue(this.#outline, rescued));

    for (const row of placed) {
      if (!needsRebalance(row, tree)) continue;
      add("rebalanced", 1, () => {
        if (needsRebalance(row, tree)) rebalance(row, treeWriter, doc.clientID);
      });
    }

    const nowSec = Math.floor(this.#outline.now() / 1000);
    for (const text of stale) add("stamped", 1, () => nodeWriter.stamp(text, nowSec));
    return tasks;
  }

  /** The texts of nodes that a client without time marks has edited, and that seem to be older. */
  #takeStale(): readonly Y.Text[] {
    if (this.#undated.size === 0) return NO_TEXTS;
    const stale: Y.Text[] = [];
    for (const key of this.#undated) {
      const text = textOf(this.#nodes, key);
      if (text !== undefined && this.#isStale(key)) stale.push(text);
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
