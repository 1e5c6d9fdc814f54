import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import * as Y from "yjs";
import { Arrivals } from "./arrivals.ts";
import { DoneTwice, type Duplicates } from "./done-twice.ts";
import { placementBelieved } from "./future-times.ts";
import { LateTexts, type LateFinding } from "./late-texts.ts";
import { lostMoveOf } from "./lost-move.ts";
import { LostWrites, type LostKinds } from "./lost-writes.ts";
import { isReservedKey, ROOT, systemNodeOf, type NodeKey } from "./node-key.ts";
import type { Outline } from "./outline.ts";
import type { Placement } from "./placement.ts";
import { needsRebalance, rebalance } from "./rebalance.ts";
import { rescue } from "./rescue.ts";
import { returnRescued, returningRows } from "./return-rescued.ts";
import { ATTRIBUTE, metaOf, nodesOf, ownerOf, SCHEMA_VERSION, textOf, VERSION } from "./schema.ts";
import { runToEnd } from "./run-to-end.ts";
import { sortInSlices } from "./sort-in-slices.ts";
import { believed, CLOCK_TOLERANCE_MS } from "./timed-value.ts";
import { TimesAhead } from "./times-ahead.ts";
import { compareRows, type TreeRow } from "./tree-row.ts";
import type { DeleteSection } from "./update-reader.ts";
import { Unseen } from "./unseen.ts";
import { isContent, UnrecordedArrivals } from "./unrecorded-arrivals.ts";
import { AT_ONCE, groups, weighed } from "./weighed-steps.ts";

/** The origin of these transactions, for who looks at them. */
const REPAIR_ORIGIN = Symbol("repair");

/** What repair does to a node. */
export type RepairKind =
  | "laterMove"
  | "laterWrite"
  | "remade"
  | "sameEdit"
  | "sameSplit"
  | "writtenDown"
  | "voided"
  | "rescued"
  | "returned"
  | "kept"
  | "rebalanced"
  | "clamped"
  | "stamped";

/** An update of the log. */
export interface LoggedUpdate {
  readonly seq: number;
  readonly update: Uint8Array;
  /** Whether a client id is one of the server's. */
  readonly isOwn: (client: number) => boolean;
}

/** The parts of repair; tests leave one out to show that it is needed. */
export interface RepairSteps extends LostKinds {
  readonly rescue: boolean;
  readonly voidDeletions: boolean;
  readonly writeDown: boolean;
  readonly laterMoves: boolean;
  readonly returns: boolean;
  readonly keepText: boolean;
  readonly recordArrivals: boolean;
  readonly clampTimes: boolean;
  readonly doneTwice: boolean;
}

export const ALL_REPAIR_STEPS: RepairSteps = {
  rescue: true,
  voidDeletions: true,
  writeDown: true,
  laterMoves: true,
  laterWrites: true,
  deletions: true,
  returns: true,
  keepText: true,
  recordArrivals: true,
  clampTimes: true,
  doneTwice: true,
};

/** Nodes that are looked at between two yields. */
const GLANCE = 512;
/** Entries of which nearly all are passed over, between two yields. */
const LONG_GLANCE = 16_384;
/** One round can make another necessary, though hardly ever; the next run goes on where this ends. */
const MAX_ROUNDS = 32;

/**
 * What the conflict rules leave to the server (docs/SPEC.md, rules D and M). After each update:
 *
 * - of concurrent moves of one node, and of other writes of one register, the latest one wins; a
 *   final deletion wins in any case;
 * - a node of the inbox or the calendar whose entry was removed is made again;
 * - what two authors did alike to a text is done once;
 * - what is shown in place of a ring, or of a parent that is gone, is written down;
 * - what went to the trash by somebody who had not seen it move comes back; what was added to a
 *   deleted node unseen by its deleter is put where the deleted node was, and goes back when that is
 *   shown again;
 * - text that was typed into a line that is gone for good is kept in the trash;
 * - order keys that have grown long are rebalanced;
 * - a time that a wrong clock put ahead of now is rewritten to now;
 * - now and then, when what came from outside came is recorded, and what lost text is stamped;
 * - the document says the schema that this server follows, whatever others wrote there.
 *
 * One per document, on the server alone.
 */
export class Repair {
  readonly #outline: Outline;
  readonly #nodes: Y.Map<Y.Text>;
  readonly #steps: RepairSteps;
  readonly #arrivals: Arrivals;
  readonly #unseen: Unseen;
  readonly #lateTexts: LateTexts;
  readonly #stopListening: () => void;
  /** Rows that may be shown elsewhere than before: at most all rows [Q40]. */
  readonly #placed = new Set<NodeKey>();
  readonly #unrecorded: UnrecordedArrivals;
  readonly #ahead: TimesAhead;
  /** Since the last run [Q40]. */
  readonly #lostMoves = new Map<NodeKey, Placement>();
  readonly #lostWrites: LostWrites;
  /** Whether the document says another schema than this server's. */
  #isVersionDue: boolean;
  /** Reserved nodes whose entries are gone, since the last run: at most those that were there [Q40]. */
  readonly #unmade = new Set<NodeKey>();
  readonly #doneTwice: DoneTwice;
  /** The update up to which everything has been decided. */
  #settled = 0;
  /** Whether the snapshot was made by a version that believed every time. */
  #wasOlder = false;
  readonly #counts: Record<RepairKind, number> = {
    laterMove: 0,
    laterWrite: 0,
    remade: 0,
    sameEdit: 0,
    sameSplit: 0,
    writtenDown: 0,
    voided: 0,
    rescued: 0,
    returned: 0,
    kept: 0,
    rebalanced: 0,
    clamped: 0,
    stamped: 0,
  };

  private constructor(outline: Outline, annex: Uint8Array | undefined, steps: RepairSteps) {
    this.#outline = outline;
    this.#nodes = nodesOf(outline.doc);
    this.#steps = steps;
    this.#lostWrites = new LostWrites(outline, steps);
    this.#ahead = new TimesAhead(outline);
    this.#unrecorded = new UnrecordedArrivals(this.#nodes, outline.marks, outline.deletions);
    if (annex === undefined) {
      this.#arrivals = new Arrivals();
    } else {
      const decoder = decoding.createDecoder(annex);
      this.#settled = decoding.readVarUint(decoder);
      this.#arrivals = Arrivals.decode(decoder);
      if (decoding.hasContent(decoder)) this.#unrecorded.decode(decoder);
      else this.#wasOlder = true;
    }
    const { doc } = outline;
    this.#isVersionDue = metaOf(doc).has(VERSION) && !saysVersion(doc);
    this.#doneTwice = new DoneTwice(outline);
    this.#unseen = new Unseen(outline.tree, this.#nodes, this.#arrivals);
    this.#lateTexts = new LateTexts(outline, this.#unseen);
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
   *   After that `replay` must be called with the updates behind the snapshot, then `run`.
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
    repair.#lateTexts.begin(repair.#placed);
    let looked = 0;
    for (const [key, item] of repair.#nodes._map) {
      if (item.deleted) repair.#noteUnmade(key);
      if (++looked % LONG_GLANCE === 0) yield;
    }
    if (steps.clampTimes && (annex === undefined || repair.#wasOlder)) yield* repair.#seekAhead();
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
   * The same for updates that the outline had before this was attached: all behind the snapshot, in
   * their order. Yields after each.
   */
  *replay(tail: Iterable<LoggedUpdate>): Generator<void> {
    for (const { update, seq, isOwn } of tail) {
      const decoded = Y.decodeUpdate(update);
      const ends = new Map<number, number>();
      for (const { id, length } of decoded.structs) ends.set(id.client, id.clock + length);
      this.record(ends, seq);
      const clients = [...ends.keys()];
      if (this.#steps.recordArrivals) this.#unrecorded.replay(decoded, clients.some(isOwn));
      yield;
    }
    yield* this.#unrecorded.endReplay(this.#outline.doc, this.#nowSec);
  }

  /** Whether something came from outside of which no record says when. */
  get hasUnrecorded(): boolean {
    return !this.#unrecorded.isEmpty;
  }

  /** Lets the next run write down when everything came that came from outside. */
  recordSoon(): void {
    this.#unrecorded.hurry();
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
      // What is shown without them is not to be decided upon.
      hasWritten = (yield* this.#writeBelieved()) || hasWritten;
      hasWritten = (yield* this.#writeLost()) || hasWritten;
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
    this.#unrecorded.encode(encoder);
    return encoding.toUint8Array(encoder);
  }

  /** Takes in text that an update brings for a line that has been removed. @param source whose it is */
  noteStrayText(source: string, text: string): void {
    this.#lateTexts.noteStray(source, { runs: [{ insert: text }] });
  }

  /** The number of the update with which a node was marked deleted, as far as it is known. */
  deletedAt(key: NodeKey): number | undefined {
    return this.#unseen.markedAt(key);
  }

  /** Whether there is nothing to look at, as for nearly every keystroke. */
  get #isQuiet(): boolean {
    const { tree } = this.#outline;
    if (!this.#doneTwice.isQuiet) return false;
    if (!this.#ahead.isEmpty || this.#lostMoves.size > 0 || this.#placed.size > 0) return false;
    if (!this.#lostWrites.isEmpty || this.#isVersionDue) return false;
    if (this.#unmade.size > 0 || !this.#lateTexts.isEmpty) return false;
    if (this.#unrecorded.isUrgent) return false;
    return tree.lastingFallen().length === 0;
  }

  /** Writes again what Yjs has dropped, and the schema. Answers whether it did. */
  *#writeLost(): Generator<void, boolean> {
    const { doc } = this.#outline;
    let hasWritten = false;
    if (this.#isVersionDue) {
      this.#isVersionDue = false;
      doc.transact(() => metaOf(doc).set(VERSION, SCHEMA_VERSION), REPAIR_ORIGIN);
      hasWritten = true;
    }
    const lost = this.#lostWrites.take();
    this.#counts.laterWrite += lost.length;
    const writes = lost.map((each) => () => this.#lostWrites.write(each));
    return (yield* this.#writeEach(writes)) || hasWritten;
  }

  /** Writes now where a time says that it is later. Answers whether it did. */
  *#writeBelieved(): Generator<void, boolean> {
    const writes = this.#ahead.take();
    this.#counts.clamped += writes.length;
    return yield* this.#writeEach(writes);
  }

  *#writeEach(writes: readonly (() => void)[]): Generator<void, boolean> {
    for (let from = 0; from < writes.length; from += AT_ONCE) {
      if (from > 0) yield;
      this.#outline.doc.transact(() => {
        for (const write of writes.slice(from, from + AT_ONCE)) write();
      }, REPAIR_ORIGIN);
    }
    return writes.length > 0;
  }

  /** What is to be done for all that happened since this was last asked. */
  *#search(): Generator<void, Found> {
    const { tree } = this.#outline;
    const laterMoves: Moved[] = [];
    for (const [key, placement] of this.#lostMoves) {
      const row = tree.rowAt(key);
      if (row !== undefined) laterMoves.push({ row, placement });
    }
    this.#lostMoves.clear();
    const twice = this.#steps.doneTwice ? yield* this.#doneTwice.find() : undefined;
    this.#doneTwice.clear();
    const unmade = [...this.#unmade];
    this.#unmade.clear();
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
    const isReturning = this.#steps.returns && placed.length > 0;
    const returned = isReturning ? yield* returningRows(tree) : [];
    const kept = yield* this.#lateTexts.find(placed);
    return {
      laterMoves,
      unmade,
      twice,
      lasting,
      voided: this.#steps.voidDeletions ? [...voided] : [],
      rescued: this.#steps.rescue ? rescued : NO_ROWS,
      returned,
      kept: this.#steps.keepText ? kept : [],
      long,
      hasArrivals: this.#unrecorded.isUrgent,
    };
  }

  #count(found: Found): void {
    const { laterMoves, unmade, twice, lasting, voided, rescued, returned, kept, long } = found;
    this.#counts.laterMove += laterMoves.length;
    this.#counts.remade += unmade.length;
    this.#counts.sameEdit += twice?.texts.size ?? 0;
    this.#counts.sameSplit += twice?.halves.size ?? 0;
    this.#counts.writtenDown += lasting.length;
    this.#counts.voided += voided.length;
    this.#counts.rescued += rescued.size;
    this.#counts.returned += returned.length;
    this.#counts.kept += kept.length;
    this.#counts.rebalanced += long.length;
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
  *#writes(found: Found): Generator<number> {
    const {
      laterMoves,
      unmade,
      twice,
      lasting,
      voided,
      rescued,
      returned,
      kept,
      long,
      hasArrivals,
    } = found;
    const { tree, treeWriter, systemNodes, doc } = this.#outline;
    for (const { row, placement } of laterMoves) {
      treeWriter.rewrite(row, placement);
      yield 1;
    }
    if (twice !== undefined) yield* this.#doneTwice.undo(twice);
    for (const key of unmade) {
      systemNodes.remake(key, this.#outline.now());
      yield 1;
    }
    // The moves may have made others fall, or taken some of them to where their registers say.
    const fallen = lasting.length === 0 ? [] : tree.lastingFallen();
    for (const rows of groups(yield* weighed(sortInSlices(fallen, compareRows)))) {
      treeWriter.writeDown(rows.filter((row) => tree.fallenRows().has(row)));
      yield rows.length;
    }
    for (const rows of groups(voided)) {
      treeWriter.voidDeletions(rows);
      yield rows.length;
    }
    yield* weighed(rescue(this.#outline, rescued), 1);
    for (const row of returned) {
      returnRescued(row, tree, treeWriter);
      yield 1;
    }
    for (const finding of kept) {
      this.#lateTexts.write(finding);
      yield 1;
    }
    for (const row of long) {
      if (!needsRebalance(row, tree)) continue;
      yield* weighed(rebalance(row, treeWriter, doc.clientID));
      yield 1;
    }
    if (hasArrivals) yield* this.#recordArrivals();
  }

  *#recordArrivals(): Generator<number> {
    const { nodeWriter, marks } = this.#outline;
    const { record, deletions } = this.#unrecorded.take();
    marks.record(record);
    for (const [key, at] of deletions) {
      const text = textOf(this.#nodes, key);
      if (text === undefined || (this.#outline.modifiedAt(key) ?? 0) >= at) continue;
      nodeWriter.stamp(text, at);
      this.#counts.stamped++;
      yield 1;
    }
  }

  /** Looks for times ahead of now in an outline that an older version has kept. */
  *#seekAhead(): Generator<void> {
    yield* this.#ahead.seek();
    const latestSec = Math.floor((this.#outline.now() + CLOCK_TOLERANCE_MS) / 1000);
    this.#unrecorded.addAhead(latestSec, this.#nowSec);
  }

  get #nowSec(): number {
    return Math.floor(this.#outline.now() / 1000);
  }

  #noteLostMove(key: NodeKey, text: Y.Text): void {
    const nowMs = this.#outline.now();
    const lost = lostMoveOf(text, (at) => believed(at, nowMs));
    const write = lost?.restates;
    if (lost === undefined || write === undefined) return;
    this.#lostMoves.set(key, placementBelieved(lost, write, nowMs) ?? lost);
  }

  /** An entry of a reserved node that is there no more, or is no text. */
  #noteUnmade(key: string): void {
    if (!isReservedKey(key as NodeKey) || key === ROOT) return;
    if (systemNodeOf(key as NodeKey) === undefined || textOf(this.#nodes, key)) return;
    this.#unmade.add(key as NodeKey);
  }

  readonly #observe = (transaction: Y.Transaction): void => {
    if (transaction.local) return;
    this.#doneTwice.note(transaction);
    this.#lostWrites.observeRoots(transaction);
    if (changesVersion(transaction)) this.#isVersionDue = !saysVersion(this.#outline.doc);
    this.#lateTexts.observe(transaction);
    if (this.#steps.clampTimes) this.#ahead.observeRoots(transaction);
    /** Nodes whose content or place has changed. */
    const changed = new Set<NodeKey>();
    for (const [type, names] of transaction.changed) {
      if (Object.is(type, this.#nodes)) {
        // `names` are the map's keys.
        for (const key of names) {
          if (key === null) continue;
          changed.add(key as NodeKey);
          this.#noteUnmade(key);
          if (this.#steps.clampTimes) this.#ahead.observeNode(key as NodeKey, null);
        }
        continue;
      }
      const owner = ownerOf(this.#nodes, type);
      if (owner === undefined) continue;
      if (owner.isNode) this.#lostWrites.observeNode(owner.key, names);
      if (!owner.isNode || changesNode(names)) changed.add(owner.key);
      if (owner.isNode && names.has(ATTRIBUTE.placement)) this.#notePlaced(owner.key);
      if (owner.isNode && this.#steps.clampTimes) this.#ahead.observeNode(owner.key, names);
    }
    if (!this.#steps.recordArrivals) return;
    this.#unrecorded.observe(transaction, changed, this.#nowSec);
    for (const key of changed) {
      const row = this.#outline.tree.rowAt(key);
      if (row !== undefined) row.modifiedAt = 0;
    }
  };

  #notePlaced(key: NodeKey): void {
    const text = textOf(this.#nodes, key);
    if (text !== undefined && this.#steps.laterMoves) this.#noteLostMove(key, text);
  }
}

function saysVersion(doc: Y.Doc): boolean {
  return metaOf(doc).get(VERSION) === SCHEMA_VERSION;
}

function changesVersion({ doc, changed }: Y.Transaction): boolean {
  const namesIn = changed as ReadonlyMap<object, ReadonlySet<string | null>>;
  return namesIn.get(metaOf(doc))?.has(VERSION) === true;
}

/** Whether changed attributes of a node (null: its text) are among those that `modifiedAt` tells. */
function changesNode(names: ReadonlySet<string | null>): boolean {
  if (names.has(ATTRIBUTE.placement) || names.has(ATTRIBUTE.modified)) return true;
  for (const name of names) if (isContent(name)) return true;
  return false;
}

/** What one round of repair has to do. */
interface Found {
  readonly laterMoves: readonly Moved[];
  /** Reserved nodes that are to be made again. */
  readonly unmade: readonly NodeKey[];
  /** Undefined when nothing was. */
  readonly twice: Duplicates | undefined;
  /** Fallen rows that are to be written down where they are shown. */
  readonly lasting: readonly TreeRow[];
  readonly voided: readonly TreeRow[];
  readonly rescued: ReadonlySet<TreeRow>;
  /** Rows that were rescued before out of what is shown again. */
  readonly returned: readonly TreeRow[];
  /** Text of lines that are gone for good. */
  readonly kept: readonly LateFinding[];
  /** Rows with long orders. */
  readonly long: readonly TreeRow[];
  /** Whether it is to be recorded when things came. */
  readonly hasArrivals: boolean;
}

interface Moved {
  readonly row: TreeRow;
  readonly placement: Placement;
}

const NO_ROWS: ReadonlySet<TreeRow> = new Set();

function isEmpty({ twice, rescued, hasArrivals, ...lists }: Found): boolean {
  if (twice !== undefined || hasArrivals || rescued.size > 0) return false;
  return Object.values(lists).every(({ length }) => length === 0);
}
