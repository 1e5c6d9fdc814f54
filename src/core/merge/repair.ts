import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import * as Y from "yjs";
import { Arrivals } from "./arrivals.ts";
import type { NodeKey } from "../node-key.ts";
import type { Outline } from "../outline.ts";
import { needsRebalance, rebalance } from "../tree/rebalance.ts";
import { RepairNotes } from "./repair-notes.ts";
import { countFound, isNothing, searchRepairs, type Found } from "./repair-search.ts";
import {
  ALL_REPAIR_STEPS,
  noRepairs,
  type RepairCounts,
  type RepairSteps,
} from "./repair-steps.ts";
import { rescue } from "../tree/rescue.ts";
import { returnRescued } from "../tree/return-rescued.ts";
import { ATTRIBUTE, metaOf, nodesOf, SCHEMA_VERSION, textOf, VERSION } from "../schema.ts";
import { inOneGo } from "../in-one-go.ts";
import { sortInSlices } from "../sort-in-slices.ts";
import { compareRows } from "../tree/tree-row.ts";
import type { Deletions } from "./deleted-characters.ts";
import { Unseen } from "./unseen.ts";
import { AT_ONCE, groups, OF_KEPT_LINE, weighed } from "./weighed-steps.ts";
import { clientsOf, clockOf } from "../yjs/struct-store.ts";

/** The origin of these transactions, for who looks at them. */
const REPAIR_ORIGIN = Symbol("repair");

/** An update of the log. */
export interface LoggedUpdate {
  readonly seq: number;
  readonly update: Uint8Array;
  /** Whether a client id is one of the server's. */
  readonly isOwn: (client: number) => boolean;
}

/** One round can make another necessary, though hardly ever; the next run goes on where this ends. */
const MAX_ROUNDS = 32;

/**
 * What the conflict rules leave to the server (docs/SPEC.md, rules D and M). After each update:
 *
 * - of concurrent moves of one node, and of other writes of one register, the latest one wins; a
 *   final deletion wins in any case;
 * - a node of the inbox or the calendar whose entry was removed is made again;
 * - a node that was deleted for good, and that somebody makes again, is deleted again;
 * - a mirror into which a program has written that does not know mirrors is none any more;
 * - what two authors did alike to a text is done once;
 * - what is shown in place of a ring, or of a parent that is gone, is written down;
 * - what went to the trash by somebody who had not seen it move comes back; what was added to a
 *   deleted node unseen by its deleter is put where the deleted node was, and goes back when that is
 *   shown again;
 * - text that was typed into a line that is gone for good is kept in the trash;
 * - order keys that have grown long are rebalanced;
 * - a time that a wrong clock put ahead of now is rewritten to now;
 * - a deletion by somebody who says to have seen everything, and had not, says what was seen;
 * - now and then, when what came from outside came is recorded, and what lost text is stamped;
 * - the document says the schema that this server follows, whatever others wrote there.
 *
 * One per document, on the server alone.
 */
export class Repair {
  /** The number that the annex was made for; undefined when there is none, or it is of an earlier version. */
  readonly annexSeq: number | undefined;
  readonly #outline: Outline;
  readonly #steps: RepairSteps;
  readonly #arrivals: Arrivals;
  readonly #unseen: Unseen;
  readonly #notes: RepairNotes;
  /** The update up to which everything has been decided. */
  #settled = 0;
  /** Whether the snapshot was made by a version that believed every time. */
  #wasOlder = false;
  readonly #counts = noRepairs();

  private constructor(outline: Outline, annex: Uint8Array | undefined, steps: RepairSteps) {
    this.#outline = outline;
    this.#steps = steps;
    const decoder = annex && decoding.createDecoder(annex);
    if (decoder !== undefined) this.#settled = decoding.readVarUint(decoder);
    this.#arrivals = decoder === undefined ? new Arrivals() : Arrivals.decode(decoder);
    this.#unseen = new Unseen(outline.tree, nodesOf(outline.doc), this.#arrivals);
    this.#notes = new RepairNotes(outline, this.#unseen, this.#arrivals, steps);
    if (decoder === undefined) return;
    if (decoding.hasContent(decoder)) this.#notes.unrecorded.decode(decoder);
    else this.#wasOlder = true;
    if (decoding.hasContent(decoder)) this.#notes.doneTwice.deleted.decode(decoder);
    if (decoding.hasContent(decoder)) this.annexSeq = decoding.readVarUint(decoder);
    if (decoding.hasContent(decoder)) this.#notes.removedKeys.decode(decoder);
  }

  /**
   * @param outline as it is after the whole log has been applied
   * @param annex what `encode` gave when the snapshot was made; absent when there is no snapshot.
   *   After that `replay` must be called with the updates behind the snapshot, then `run`.
   * @throws when the annex is not what `encode` gave
   */
  static attach(outline: Outline, annex?: Uint8Array, steps = ALL_REPAIR_STEPS): Repair {
    return inOneGo(Repair.attachInSlices(outline, annex, steps));
  }

  /** The same, yielding every millisecond or two. The document must not change meanwhile. */
  static *attachInSlices(
    outline: Outline,
    annex?: Uint8Array,
    steps = ALL_REPAIR_STEPS,
  ): Generator<void, Repair> {
    const repair = new Repair(outline, annex, steps);
    const notes = repair.#notes;
    for (const row of yield* repair.#unseen.hiddenSince()) notes.placed.add(row.key);
    notes.lateTexts.begin(notes.placed);
    yield* notes.seekUnmade();
    if (steps.clampTimes && (annex === undefined || repair.#wasOlder)) yield* notes.seekAhead();
    return repair;
  }

  /** How many nodes have been repaired in which way, since this was made. */
  get counts(): Readonly<RepairCounts> {
    return this.#counts;
  }

  /** Memory of what it remembers of the whole history, estimated. O(1). */
  get bytes(): number {
    return this.#arrivals.bytes;
  }

  /** Stops following the outline. */
  detach(): void {
    this.#notes.detach();
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
      const [author, ...others] = clients;
      const fresh = [...decoded.ds.clients].map(([client, ranges]) => ({
        client,
        ranges: ranges.flatMap(({ clock, len }) => [clock, len]),
      }));
      const of = others.length === 0 ? author : undefined;
      this.#notes.doneTwice.deleted.replay({ author: of, fresh }, seq);
      const isByServer = clients.some(isOwn);
      if (!isByServer) this.#notes.removedKeys.replay(decoded.ds);
      if (this.#steps.recordArrivals) this.#notes.unrecorded.replay(decoded, isByServer);
      yield;
    }
    yield* this.#notes.removedKeys.endReplay(this.#outline.doc);
    yield* this.#notes.unrecorded.endReplay(this.#outline.doc, this.#notes.nowSec);
  }

  /** Whether something came from outside of which no record says when. */
  get hasUnrecorded(): boolean {
    return !this.#notes.unrecorded.isEmpty;
  }

  /** Lets the next run write down when everything came that came from outside. */
  recordSoon(): void {
    this.#notes.unrecorded.hurry();
  }

  /**
   * Notes what an update from outside deletes, above all what is deleted already: its author had not
   * seen that others had done so. To be called before it is applied.
   */
  noteDeletions(deletions: Deletions): void {
    this.#notes.doneTwice.noteDeletions(deletions);
  }

  /**
   * The first update of which somebody lacks something who has no more than this, by client the clock
   * behind the last struct; infinity for who lacks nothing. Updates are sent in their order, so what
   * came later is not known there either.
   */
  firstUnseenBy(had: ReadonlyMap<number, number>): number {
    let first = Number.POSITIVE_INFINITY;
    const { doc } = this.#outline;
    for (const client of clientsOf(doc)) {
      const clock = had.get(client) ?? 0;
      if (clock >= clockOf(doc, client)) continue;
      first = Math.min(first, this.#arrivals.seqOf({ client, clock }));
    }
    return first;
  }

  /**
   * Takes in, before it is applied, that the author of an update had seen no more than what came before
   * an update: deletion marks in it that say `everything` mean that.
   * @param clients under whose ids it writes
   */
  noteUnseen(clients: Iterable<number>, firstUnseen: number): void {
    this.#notes.unseenMarks.note(clients, firstUnseen);
  }

  /** `runInSlices` in one go. */
  run(): boolean {
    return inOneGo(this.runInSlices());
  }

  /**
   * Repairs what the updates since the last run made necessary, in transactions of its own, each of
   * some milliseconds; yields between them, and while it looks for what to do. Until it ends nobody
   * else may change the outline, or look at it.
   * @returns whether it wrote anything: that is to be made durable together with the updates
   */
  *runInSlices(): Generator<void, boolean> {
    let hasWritten = false;
    for (let round = 0; round < MAX_ROUNDS && !this.#notes.isQuiet; round++) {
      // What is shown without them is not to be decided upon.
      hasWritten = (yield* this.#writeBelieved()) || hasWritten;
      hasWritten = (yield* this.#writeEach(this.#notes.unseenMarks.take())) || hasWritten;
      hasWritten = (yield* this.#writeLost()) || hasWritten;
      const found = yield* searchRepairs({
        outline: this.#outline,
        notes: this.#notes,
        unseen: this.#unseen,
        steps: this.#steps,
        settled: this.#settled,
      });
      if (isNothing(found)) break;
      countFound(this.#counts, found);
      yield* this.#write(found);
      hasWritten = true;
    }
    this.#notes.doneTwice.clear();
    this.#notes.unseenMarks.clear();
    this.#settled = this.#arrivals.latest;
    return hasWritten;
  }

  /**
   * What `attach` needs to go on from a snapshot of this moment, after a `run`.
   * @param seq the snapshot's number, which is noted in it
   */
  encode(seq: number): Uint8Array {
    const encoder = encoding.createEncoder();
    encoding.writeVarUint(encoder, this.#settled);
    this.#arrivals.encode(encoder);
    this.#notes.unrecorded.encode(encoder);
    this.#notes.doneTwice.deleted.encode(encoder);
    encoding.writeVarUint(encoder, seq);
    this.#notes.removedKeys.encode(encoder);
    return encoding.toUint8Array(encoder);
  }

  /** Takes in text that an update brings for a line that has been removed. @param source whose it is */
  noteStrayText(source: string, text: string): void {
    this.#notes.lateTexts.noteStray(source, { runs: [{ insert: text }] });
  }

  /** The number of the update with which a node was marked deleted, as far as it is known. */
  deletedAt(key: NodeKey): number | undefined {
    return this.#unseen.markedAt(key);
  }

  /** Writes again what Yjs has dropped, and the schema. Answers whether it did. */
  *#writeLost(): Generator<void, boolean> {
    const { doc } = this.#outline;
    let hasWritten = false;
    if (this.#notes.isVersionDue) {
      this.#notes.isVersionDue = false;
      doc.transact(() => metaOf(doc).set(VERSION, SCHEMA_VERSION), REPAIR_ORIGIN);
      hasWritten = true;
    }
    const lost = this.#notes.lostWrites.take();
    this.#counts.laterWrite += lost.length;
    const writes = lost.map((each) => () => this.#notes.lostWrites.write(each));
    return (yield* this.#writeEach(writes)) || hasWritten;
  }

  /** Writes now where a time says that it is later. Answers whether it did. */
  *#writeBelieved(): Generator<void, boolean> {
    const writes = this.#notes.ahead.take();
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
      again,
      unmirrored,
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
    if (twice !== undefined) yield* this.#notes.doneTwice.undo(twice);
    for (const key of unmade) {
      systemNodes.remake(key, this.#outline.now());
      yield 1;
    }
    for (const row of again) {
      // Whoever deleted it has seen nothing of what is in it now.
      treeWriter.markDeleted(row, { kind: "final", seen: 0 });
      yield 1;
    }
    for (const text of unmirrored) {
      text.setAttribute(ATTRIBUTE.origin, "");
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
      this.#notes.lateTexts.write(finding);
      yield OF_KEPT_LINE;
    }
    for (const row of long) {
      if (!needsRebalance(row, tree)) continue;
      yield* weighed(rebalance(row, treeWriter, doc.clientID));
      yield 1;
    }
    if (hasArrivals) yield* this.#recordArrivals();
  }

  *#recordArrivals(): Generator<number> {
    const { doc, nodeWriter, marks } = this.#outline;
    const nodes = nodesOf(doc);
    const { record, deletions } = this.#notes.unrecorded.take();
    marks.record(record);
    for (const [key, at] of deletions) {
      const text = textOf(nodes, key);
      if (text === undefined || (this.#outline.modifiedAt(key) ?? 0) >= at) continue;
      nodeWriter.stamp(text, at);
      this.#counts.stamped++;
      yield 1;
    }
  }
}
