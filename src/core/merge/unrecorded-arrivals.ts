import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import * as Y from "yjs";
import {
  type ArrivalRange,
  type ClientArrivals,
  decodeArrivals,
  encodeArrivals,
} from "../node/arrival-record.ts";
import { getOrMake } from "../get-or-make.ts";
import { ClockTimes } from "../node/clock-times.ts";
import { itemsBetween } from "../yjs/struct-store.ts";
import type { NodeKey } from "../node-key.ts";
import { ATTRIBUTE, ownerOf } from "../schema.ts";
import type { TimeMarks } from "../node/time-marks.ts";

/** Ranges, and nodes that lost text, that wait for a record at most. */
const MAX_WAITING = 512;
/** Nodes of one range that are remembered, so that the next edit of the same ones can join it. */
const MAX_NODES_OF_RANGE = 16;

/** The range that a client's next edit may join. */
interface LastRange {
  from: number;
  end: number;
  at: number;
  /** The nodes that were changed in it; undefined when they are many. */
  nodes: ReadonlySet<NodeKey> | undefined;
}

/** What a client from outside wrote of late. */
interface Waiting {
  readonly ranges: ArrivalRange[];
  last: LastRange | undefined;
}

/**
 * When what came from outside came, as long as no record in the document says it. A record for each
 * edit would be more than the edit: they are gathered, and written when the outline goes quiet. The
 * annex of a snapshot keeps what waits. After a crash, what came behind the last record counts as
 * having come when it is loaded: later than anybody has looked, so that nobody misses it.
 *
 * An edit that changes the same nodes as the one before joins its range: what was typed into one line
 * is one range, and each node has the time of its last edit.
 */
export class UnrecordedArrivals {
  readonly #nodes: Y.Map<Y.Text>;
  readonly #marks: TimeMarks;
  /** Of clients of which ranges wait: as many as ranges at most [Q40]. */
  readonly #clients = new Map<number, Waiting>();
  /** Nodes that lost text, which leaves nothing that a range could date [Q40]. */
  readonly #deletions: Map<NodeKey, number>;
  /** What came from outside behind the last record, while the tail is looked at. */
  #replayed: Replayed[] = [];
  #count = 0;
  #isUrgent = false;
  /** Whether everything that came is recorded or waits: not so in a document of an older version. */
  #isComplete: boolean;

  /** @param deletions where nodes are kept that lost text, with the Unix seconds of their last loss */
  constructor(nodes: Y.Map<Y.Text>, marks: TimeMarks, deletions: Map<NodeKey, number>) {
    this.#nodes = nodes;
    this.#marks = marks;
    this.#deletions = deletions;
    this.#isComplete = marks.hasRecords;
  }

  get isEmpty(): boolean {
    return this.#clients.size === 0 && this.#deletions.size === 0;
  }

  /** Whether a record has to be written with the change under way. */
  get isUrgent(): boolean {
    if (this.isEmpty) return false;
    if (this.#isUrgent || !this.#isComplete) return true;
    return this.#count + this.#deletions.size > MAX_WAITING;
  }

  /** Says that a record is to be written with the next change. */
  hurry(): void {
    this.#isUrgent = true;
  }

  /** Takes in a transaction from outside. @param changed the nodes whose content or place it changed */
  observe(transaction: Y.Transaction, changed: ReadonlySet<NodeKey>, at: number): void {
    if (changed.size === 0) return;
    // What a stamp covers is told from what came before by when it came: it must not join that.
    const nodes = setsStamp(transaction) ? undefined : changed;
    for (const [client, end] of transaction.afterState) {
      const from = transaction.beforeState.get(client) ?? 0;
      if (from === end) continue;
      // After a backup was put back: records that say less than has come now.
      if (this.#marks.hasRecord(client, from, end)) this.#isUrgent = true;
      this.#add(client, { from, end, at }, nodes);
    }
    this.#noteDeletions(transaction.doc, transaction.deleteSet, at);
  }

  /**
   * Looks at an update of the log's tail, which was applied when nobody followed: at all of them in
   * their order, before `endReplay`. @param isOwn whether the server wrote it
   */
  replay({ structs, ds }: DecodedUpdate, isOwn: boolean): void {
    const clocks = new Map<number, { from: number; end: number }>();
    for (const { id, length } of structs) {
      const range = clocks.get(id.client);
      if (range === undefined) clocks.set(id.client, { from: id.clock, end: id.clock + length });
      else range.end = id.clock + length;
    }
    if (!isOwn) {
      if (this.#isComplete) this.#replayed.push({ clocks, ds });
      return;
    }
    for (const [client, { from, end }] of clocks) {
      if (!this.#marks.hasRecord(client, from, end)) continue;
      // It says all that waited then, what waited with the snapshot too.
      this.#clear();
      this.#replayed = [];
      this.#isComplete = true;
    }
  }

  /** What came behind the last record came at a time that nobody knows: not later than now. */
  *endReplay(doc: Y.Doc, at: number): Generator<void> {
    for (const { clocks, ds } of this.#replayed) {
      for (const [client, { from, end }] of clocks) this.#add(client, { from, end, at }, undefined);
      this.#noteDeletions(doc, ds, at);
      yield;
    }
    if (this.#replayed.length > 0) this.#marks.noteUntold();
    this.#replayed = [];
  }

  /** What came before there were records, and seems to have been written later than now. */
  addAhead(latestSec: number, nowSec: number): void {
    for (const [client, ranges] of this.#marks.writtenBehind(latestSec)) {
      // They may lie behind what is replayed later, and between them may lie what has its time.
      for (const range of ranges) this.#append(client, { ...range, at: nowSec });
      this.#isUrgent = true;
    }
  }

  /**
   * Takes all that waits, to be written.
   * @returns the record, and the nodes that lost text, with when
   */
  take(): { readonly record: Uint8Array; readonly deletions: ReadonlyMap<NodeKey, number> } {
    const taken = {
      record: encodeArrivals(this.#arrivals()),
      deletions: new Map(this.#deletions),
    };
    this.#clear();
    this.#isComplete = true;
    return taken;
  }

  encode(encoder: encoding.Encoder): void {
    encoding.writeUint8(encoder, this.#isComplete ? 1 : 0);
    encoding.writeVarUint8Array(encoder, encodeArrivals(this.#arrivals()));
    encoding.writeVarUint(encoder, this.#deletions.size);
    for (const [key, at] of this.#deletions) {
      encoding.writeVarString(encoder, key);
      encoding.writeVarUint(encoder, at);
    }
  }

  /** Takes in what `encode` wrote. @throws when the bytes are something else */
  decode(decoder: decoding.Decoder): void {
    this.#isComplete = decoding.readUint8(decoder) === 1;
    for (const [client, ranges] of decodeArrivals(decoding.readVarUint8Array(decoder))) {
      for (const range of ranges) this.#add(client, range, undefined);
    }
    for (let left = decoding.readVarUint(decoder); left > 0; left--) {
      // Written from a key.
      const key = decoding.readVarString(decoder) as NodeKey;
      this.#deletions.set(key, decoding.readVarUint(decoder));
    }
  }

  #add(client: number, range: ArrivalRange, nodes: ReadonlySet<NodeKey> | undefined): void {
    const remembered = nodes !== undefined && nodes.size <= MAX_NODES_OF_RANGE ? nodes : undefined;
    const last = this.#clients.get(client)?.last;
    const follows = last !== undefined && range.from >= last.end;
    const joined = follows ? joinedNodes(last, range.at, remembered) : "apart";
    if (last !== undefined && joined !== "apart") {
      // What lies between them, if anything does, is nothing that has a time.
      Object.assign(last, { end: range.end, at: Math.max(last.at, range.at), nodes: joined });
      this.#marks.arrive(client, last);
      return;
    }
    const next = { ...range, nodes: remembered };
    this.#append(client, next).last = next;
  }

  #append(client: number, range: ArrivalRange): Waiting {
    const waiting = getOrMake(this.#clients, client, () => ({ ranges: [], last: undefined }));
    waiting.ranges.push(range);
    this.#count++;
    this.#marks.arrive(client, range);
    return waiting;
  }

  /** What is only deleted leaves no piece behind. What is replaced has a new one, which tells as much. */
  #noteDeletions(doc: Y.Doc, { clients }: Pick<DecodedUpdate["ds"], "clients">, at: number): void {
    for (const [client, ranges] of clients) {
      for (const { clock, len } of ranges) {
        for (const item of itemsBetween(doc, client, clock, clock + len)) {
          const key = contentOwnerOf(this.#nodes, item);
          if (key !== undefined) this.#deletions.set(key, at);
        }
      }
    }
  }

  #arrivals(): ClientArrivals {
    return new Map([...this.#clients].map(([client, { ranges }]) => [client, disjoint(ranges)]));
  }

  #clear(): void {
    this.#clients.clear();
    this.#deletions.clear();
    this.#count = 0;
    this.#isUrgent = false;
  }
}

/** The same, ascending: where ranges overlap the later time counts. */
function disjoint(ranges: readonly ArrivalRange[]): readonly ArrivalRange[] {
  const times = new ClockTimes();
  for (const { from, end, at } of ranges) times.raise(from, end, at);
  return times.ranges();
}

function setsStamp({ changed }: Y.Transaction): boolean {
  for (const [type, names] of changed) {
    if (type instanceof Y.Text && names.has(ATTRIBUTE.modified)) return true;
  }
  return false;
}

/** What an update says, as far as it is needed. */
interface Replayed {
  readonly clocks: ReadonlyMap<number, Pick<ArrivalRange, "from" | "end">>;
  readonly ds: DecodedUpdate["ds"];
}

/** As `Y.decodeUpdate` gives it. */
export type DecodedUpdate = ReturnType<typeof Y.decodeUpdate>;

/**
 * The nodes of a range and of the edit behind it, when both can be dated like the second: it is of the
 * same second, or all that was changed in the range is changed again.
 */
function joinedNodes(
  last: LastRange,
  at: number,
  nodes: ReadonlySet<NodeKey> | undefined,
): ReadonlySet<NodeKey> | undefined | "apart" {
  if (last.nodes === undefined || nodes === undefined) return last.at === at ? undefined : "apart";
  const isRepeated = [...last.nodes].every((key) => nodes.has(key));
  if (isRepeated) return nodes;
  if (last.at !== at) return "apart";
  const all = new Set([...last.nodes, ...nodes]);
  return all.size <= MAX_NODES_OF_RANGE ? all : undefined;
}

/** The node whose content a deleted item was; undefined for what `modifiedAt` does not tell of. */
function contentOwnerOf(nodes: Y.Map<Y.Text>, { parent, parentSub }: Y.Item): NodeKey | undefined {
  if (!(parent instanceof Y.Text)) return undefined;
  const owner = ownerOf(nodes, parent);
  if (owner === undefined || (owner.isNode && !isContent(parentSub))) return undefined;
  return owner.key;
}

/** Whether an attribute of a node, or (null) its text, is content that `modifiedAt` tells of. */
export function isContent(name: string | null): boolean {
  if (name === null || name === ATTRIBUTE.layout || name === ATTRIBUTE.completed) return true;
  return name.startsWith(ATTRIBUTE.notePrefix);
}
