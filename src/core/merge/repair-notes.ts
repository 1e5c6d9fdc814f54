import type * as Y from "yjs";
import type { Arrivals } from "./arrivals.ts";
import { DoneTwice } from "./done-twice.ts";
import { placementBelieved } from "./future-times.ts";
import { LateTexts } from "./late-texts.ts";
import { lostMoveOf } from "./lost-move.ts";
import { LostWrites } from "./lost-writes.ts";
import { isReservedKey, ROOT, systemNodeOf, type NodeKey } from "../node-key.ts";
import type { Outline } from "../outline.ts";
import type { Placement } from "../tree/placement.ts";
import { RemovedKeys } from "./removed-keys.ts";
import type { RepairSteps } from "./repair-steps.ts";
import { ATTRIBUTE, metaOf, nodesOf, ownerOf, SCHEMA_VERSION, textOf, VERSION } from "../schema.ts";
import { originIn } from "../tree/tree-source.ts";
import { believed, CLOCK_TOLERANCE_MS } from "../node/timed-value.ts";
import { TimesAhead } from "./times-ahead.ts";
import { isContent, UnrecordedArrivals } from "./unrecorded-arrivals.ts";
import { UnseenMarks } from "./unseen-marks.ts";
import type { Unseen } from "./unseen.ts";
import { itemsByKey, namesChanged } from "../yjs/inside.ts";

/** Entries of which nearly all are passed over, between two yields. */
const LONG_GLANCE = 16_384;

/** What the transactions since the last run of repair have left to look at. */
export class RepairNotes {
  /** Rows that may be shown elsewhere than before: at most all rows [Q40]. */
  readonly placed = new Set<NodeKey>();
  /** Moves that Yjs dropped although they are the latest [Q40]. */
  readonly lostMoves = new Map<NodeKey, Placement>();
  readonly lostWrites: LostWrites;
  /** Reserved nodes whose entries are gone: at most those that were there [Q40]. */
  readonly unmade = new Set<NodeKey>();
  /** Mirrors that have changed, in which something may stand [Q40]. */
  readonly mirrors = new Set<NodeKey>();
  readonly removedKeys = new RemovedKeys();
  readonly doneTwice: DoneTwice;
  readonly lateTexts: LateTexts;
  readonly ahead: TimesAhead;
  readonly unseenMarks: UnseenMarks;
  readonly unrecorded: UnrecordedArrivals;
  /** Whether nothing that was placed has been looked at yet. */
  isFirst = true;
  /** Whether the document says another schema than this server's. */
  isVersionDue: boolean;
  readonly #outline: Outline;
  readonly #nodes: Y.Map<Y.Text>;
  readonly #steps: RepairSteps;
  readonly #stopListening: () => void;

  constructor(outline: Outline, unseen: Unseen, arrivals: Arrivals, steps: RepairSteps) {
    const { doc } = outline;
    this.#outline = outline;
    this.#nodes = nodesOf(doc);
    this.#steps = steps;
    this.lostWrites = new LostWrites(outline, steps);
    this.doneTwice = new DoneTwice(outline, arrivals, steps.mendWords);
    this.lateTexts = new LateTexts(outline, unseen);
    this.ahead = new TimesAhead(outline);
    this.unseenMarks = new UnseenMarks(outline);
    this.unrecorded = new UnrecordedArrivals(this.#nodes, outline.marks, outline.deletions);
    this.isVersionDue = metaOf(doc).has(VERSION) && !saysVersion(doc);
    const stopFollowing = outline.onChange(({ placed }) => {
      for (const key of placed) this.placed.add(key);
    });
    doc.on("afterTransaction", this.#observe);
    this.#stopListening = () => {
      stopFollowing();
      doc.off("afterTransaction", this.#observe);
    };
  }

  /** Stops following the outline. */
  detach(): void {
    this.#stopListening();
  }

  /** Whether there is nothing to look at, as for nearly every keystroke. */
  get isQuiet(): boolean {
    if (!this.doneTwice.isQuiet) return false;
    if (!this.ahead.isEmpty || this.lostMoves.size > 0 || this.placed.size > 0) return false;
    if (!this.lostWrites.isEmpty || this.isVersionDue || !this.unseenMarks.isEmpty) return false;
    if (this.mirrors.size > 0) return false;
    if (this.unmade.size > 0 || !this.removedKeys.isEmpty || !this.lateTexts.isEmpty) return false;
    if (this.unrecorded.isUrgent) return false;
    return this.#outline.tree.lastingFallen().length === 0;
  }

  /** Unix seconds. */
  get nowSec(): number {
    return Math.floor(this.#outline.now() / 1000);
  }

  /** Looks for reserved nodes whose entries were removed before. */
  *seekUnmade(): Generator<void> {
    let looked = 0;
    for (const [key, item] of itemsByKey(this.#nodes)) {
      if (item.deleted) this.#noteUnmade(key);
      if (++looked % LONG_GLANCE === 0) yield;
    }
  }

  /** Looks for times ahead of now in an outline that an older version has kept. */
  *seekAhead(): Generator<void> {
    yield* this.ahead.seek();
    const latestSec = Math.floor((this.#outline.now() + CLOCK_TOLERANCE_MS) / 1000);
    this.unrecorded.addAhead(latestSec, this.nowSec);
  }

  readonly #observe = (transaction: Y.Transaction): void => {
    this.doneTwice.deleted.noteOwn(transaction);
    if (transaction.local) return;
    this.doneTwice.note(transaction);
    this.lostWrites.observeRoots(transaction);
    if (changesVersion(transaction)) this.isVersionDue = !saysVersion(this.#outline.doc);
    this.lateTexts.observe(transaction);
    if (this.#steps.clampTimes) this.ahead.observeRoots(transaction);
    const changed = this.#observeNodes(transaction);
    if (!this.#steps.recordArrivals) return;
    this.unrecorded.observe(transaction, changed, this.nowSec);
    for (const key of changed) {
      const row = this.#outline.tree.rowAt(key);
      if (row !== undefined) row.modifiedAt = 0;
    }
  };

  /** The nodes whose content or place has changed. */
  #observeNodes(transaction: Y.Transaction): ReadonlySet<NodeKey> {
    const changed = new Set<NodeKey>();
    for (const [type, names] of transaction.changed) {
      if (Object.is(type, this.#nodes)) {
        // `names` are the map's keys.
        for (const key of names) {
          if (key === null) continue;
          changed.add(key as NodeKey);
          this.#noteMirror(key as NodeKey);
          this.#noteUnmade(key);
          if (this.#steps.deletions) this.removedKeys.observe(transaction, key as NodeKey);
          if (this.#steps.clampTimes) this.ahead.observeNode(key as NodeKey, null);
        }
        continue;
      }
      const owner = ownerOf(this.#nodes, type);
      if (owner === undefined) continue;
      if (!owner.isNode || changesNode(names)) changed.add(owner.key);
      this.#noteMirror(owner.key);
      if (!owner.isNode) continue;
      this.lostWrites.observeNode(owner.key, names);
      if (names.has(ATTRIBUTE.deletion)) this.unseenMarks.observe(owner.key);
      if (this.#steps.laterMoves && names.has(ATTRIBUTE.placement)) this.#noteLostMove(owner.key);
      if (this.#steps.clampTimes) this.ahead.observeNode(owner.key, names);
    }
    return changed;
  }

  #noteLostMove(key: NodeKey): void {
    const text = textOf(this.#nodes, key);
    const nowMs = this.#outline.now();
    const lost = text && lostMoveOf(text, (at) => believed(at, nowMs));
    const write = lost?.restates;
    if (lost === undefined || write === undefined) return;
    this.lostMoves.set(key, placementBelieved(lost, write, nowMs) ?? lost);
  }

  /** A mirror in which something may stand that a program wrote which does not know mirrors. */
  #noteMirror(key: NodeKey): void {
    const text = textOf(this.#nodes, key);
    if (this.#steps.unmirror && text !== undefined && originIn(key, text) !== undefined) {
      this.mirrors.add(key);
    }
  }

  /** An entry of a reserved node that is there no more, or is no text. */
  #noteUnmade(key: string): void {
    if (!isReservedKey(key as NodeKey) || key === ROOT) return;
    if (systemNodeOf(key as NodeKey) === undefined || textOf(this.#nodes, key)) return;
    this.unmade.add(key as NodeKey);
  }
}

function saysVersion(doc: Y.Doc): boolean {
  return metaOf(doc).get(VERSION) === SCHEMA_VERSION;
}

function changesVersion(transaction: Y.Transaction): boolean {
  return namesChanged(transaction, metaOf(transaction.doc)).has(VERSION);
}

/** Whether changed attributes of a node (null: its text) are among those that `modifiedAt` tells. */
function changesNode(names: ReadonlySet<string | null>): boolean {
  if (names.has(ATTRIBUTE.placement) || names.has(ATTRIBUTE.modified)) return true;
  for (const name of names) if (isContent(name)) return true;
  return false;
}
