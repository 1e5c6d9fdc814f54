import * as Y from "yjs";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { nodesOf, notesOf, ownerOf, textOf } from "../../../src/core/schema.ts";
import type { Change } from "./change.ts";
import type { TextPart } from "./edits.ts";
import type { CaretPlace, History } from "./history.ts";
import { OwnNodes } from "./own-nodes.ts";
import { PlaceVersions } from "./place-versions.ts";
import { Reversal } from "./reversal.ts";
import { Trash } from "./trash.ts";
import { joinedChanges, type TextChange, TextUndo } from "./text-undo.ts";

/** The origin of the transactions that take back what was done to the structure. */
export const LOCAL_UNDO: unique symbol = Symbol("local undo");

/** How many steps can be undone. */
const MAX_STEPS = 500;
/** Typing in one text is one step as long as no pause is longer than this. */
const TYPING_PAUSE_MS = 500;

/** A caret that keeps its place when others write before it. */
interface CaretMark {
  readonly place: CaretPlace;
  readonly relative: Y.RelativePosition | undefined;
}

interface Step {
  /** In the order in which they were made. */
  readonly changes: Change[];
  text: TextChange | undefined;
  readonly caretBefore: CaretMark | undefined;
  /** Where it was when it was first told after the step. */
  caretAfter: CaretMark | undefined;
}

interface Typing {
  readonly step: Step;
  readonly key: NodeKey;
  readonly part: TextPart;
  untilMs: number;
}

export interface UndoHistoryPorts {
  readonly outline: Outline;
  /** What this device has of the log: goes into the marks of what it puts into the trash. */
  readonly seq: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly now: () => number;
}

/**
 * Undo and redo of this device's edits. A step holds what was done to nodes, whose opposite is found
 * when it is undone, and what was done to texts, by the ids of characters; so what others do at the
 * same time stays. Steps that have lost their ground do what they can. Keeps 500 steps.
 */
export class UndoHistory implements History {
  /** For who records moves. */
  readonly places: PlaceVersions;
  /** For who trashes. */
  readonly trash: Trash;
  readonly #outline: Outline;
  readonly #now: () => number;
  readonly #own: OwnNodes;
  readonly #reversal: Reversal;
  readonly #texts: TextUndo;
  #undoable: Step[] = [];
  #redoable: Step[] = [];
  /** The step that is being made. */
  #open: Step | undefined;
  #typing: Typing | undefined;
  /** The step that goes on with what is done next. */
  #unfinished: Step | undefined;
  #caret: CaretPlace | undefined;
  /** The step that waits to be told where the caret is behind it. */
  #finished: Step | undefined;
  #isClosed = false;

  constructor({ outline, seq, now }: UndoHistoryPorts) {
    this.#outline = outline;
    this.#now = now;
    this.#own = new OwnNodes(outline);
    this.places = new PlaceVersions(outline);
    this.trash = new Trash(outline, this.places, seq);
    this.#reversal = new Reversal(outline, this.#own, this.places, this.trash);
    this.#texts = new TextUndo(outline.doc, (change) => this.#addText(change));
  }

  get canUndo(): boolean {
    return this.#undoable.length > 0;
  }

  get canRedo(): boolean {
    return this.#redoable.length > 0;
  }

  get last(): object | undefined {
    return this.#undoable.at(-1);
  }

  undo(): { readonly caret: CaretPlace | undefined } | undefined {
    this.assertOpen();
    const step = this.#undoable.pop();
    if (step === undefined) return undefined;
    const caretNow = this.#mark(this.#caret);
    const { opposite, place } = this.#takeBack(step);
    this.#redoable.push({ ...opposite, caretBefore: step.caretAfter ?? caretNow });
    return { caret: this.#resolve(step.caretBefore) ?? place };
  }

  redo(): { readonly caret: CaretPlace | undefined } | undefined {
    this.assertOpen();
    const step = this.#redoable.pop();
    if (step === undefined) return undefined;
    const caretNow = this.#mark(this.#caret);
    const { opposite, place } = this.#takeBack(step);
    this.#undoable.push({ ...opposite, caretBefore: caretNow, caretAfter: step.caretBefore });
    const told = this.#resolve(step.caretBefore);
    if (step.changes.length > 0 || place === undefined) return { caret: told ?? place };
    // The same text where it was written: a line may be shown in several places.
    const isThere = told !== undefined && this.#textOf(told) === this.#textOf(place);
    return { caret: isThere ? { ...told, at: place.at } : place };
  }

  seal(): void {
    this.#typing = undefined;
  }

  goOn(): void {
    this.#unfinished = this.#undoable.at(-1);
  }

  forget(): void {
    this.#forget([...this.#undoable.splice(0), ...this.#redoable.splice(0)]);
    this.#typing = undefined;
  }

  caretAt(caret: CaretPlace | undefined): void {
    this.#caret = caret;
    if (this.#finished !== undefined) this.#finished.caretAfter = this.#mark(caret);
    this.#finished = undefined;
  }

  step<T>(work: () => T): T {
    if (this.#open !== undefined) return work();
    const step = this.#begin();
    try {
      return work();
    } finally {
      this.#end(step);
      this.#typing = undefined;
    }
  }

  /** Like `step`, for typing: it joins the step before when that is typing in the same text. */
  typing<T>(key: NodeKey, part: TextPart, work: () => T): T {
    if (this.#open !== undefined) return work();
    const nowMs = this.#now();
    const last = this.#typing;
    const goesOn =
      last?.key === key && last.part === part && nowMs <= last.untilMs && last.step.text;
    const step = goesOn ? this.#reopen(last.step) : this.#begin();
    try {
      return work();
    } finally {
      this.#end(step);
      this.#typing = { step, key, part, untilMs: nowMs + TYPING_PAUSE_MS };
    }
  }

  /** Adds what was just done to the step that is being made. */
  record(change: Change): void {
    this.#own.add(nodesIn(change));
    if (this.#open !== undefined) this.#open.changes.push(change);
    else this.step(() => this.record(change));
  }

  /** Throws once it is closed: nobody would store or send what is done to the document then. */
  assertOpen(): void {
    if (this.#isClosed) throw new Error("these edits are of a replica that was closed or replaced");
  }

  /** Stops following the document, which is not edited any more. */
  close(): void {
    this.#isClosed = true;
    this.#own.close();
    this.#texts.close();
  }

  #begin(): Step {
    const last = this.#undoable.at(-1);
    const goesOn = last !== undefined && last === this.#unfinished;
    this.#unfinished = undefined;
    if (goesOn) return this.#reopen(last);
    const caretBefore = this.#mark(this.#caret);
    this.#open = { changes: [], text: undefined, caretBefore, caretAfter: undefined };
    return this.#open;
  }

  #reopen(step: Step): Step {
    if (this.#undoable.at(-1) === step) this.#undoable.pop();
    this.#open = step;
    return step;
  }

  #end(step: Step): void {
    this.#open = undefined;
    if (step.changes.length === 0 && step.text === undefined) return;
    this.#undoable.push(step);
    this.#finished = step;
    this.#forget(this.#redoable);
    this.#redoable = [];
    if (this.#undoable.length > MAX_STEPS) this.#forget(this.#undoable.splice(0, 1));
  }

  #forget(steps: readonly Step[]): void {
    for (const step of steps) for (const change of step.changes) this.#own.forget(nodesIn(change));
  }

  #addText(change: TextChange): void {
    const step = this.#open;
    if (step === undefined) this.step(() => this.#addText(change));
    else step.text = step.text === undefined ? change : joinedChanges(step.text, change);
  }

  #takeBack(step: Step): { opposite: Step; place: CaretPlace | undefined } {
    this.#typing = undefined;
    this.#finished = undefined;
    const changes: Change[] = [];
    if (step.changes.length > 0) {
      this.#outline.doc.transact(() => {
        for (const change of step.changes.toReversed()) {
          const reversed = this.#reversal.reverse(change);
          if (reversed === undefined) continue;
          changes.push(reversed);
          this.#own.add(nodesIn(reversed));
        }
      }, LOCAL_UNDO);
    }
    this.#forget([step]);
    const opposite: Step = {
      changes,
      text: undefined,
      caretBefore: undefined,
      caretAfter: undefined,
    };
    if (step.text === undefined) return { opposite, place: undefined };
    const { again, place } = this.#texts.takeBack(step.text);
    opposite.text = again;
    return { opposite, place: place && this.#placeIn(place.text, place.at) };
  }

  #placeIn(text: Y.Text, at: number): CaretPlace | undefined {
    const owner = ownerOf(nodesOf(this.#outline.doc), text);
    if (owner === undefined || !this.#outline.has(owner.key)) return undefined;
    return { key: owner.key, part: owner.isNode ? "name" : "note", at };
  }

  #mark(place: CaretPlace | undefined): CaretMark | undefined {
    if (place === undefined) return undefined;
    const text = this.#textOf(place);
    const isThere = text !== undefined && place.at <= text.length;
    return {
      place,
      relative: isThere ? Y.createRelativePositionFromTypeIndex(text, place.at) : undefined,
    };
  }

  #resolve(mark: CaretMark | undefined): CaretPlace | undefined {
    if (mark === undefined || !this.#outline.has(mark.place.key)) return undefined;
    const { place, relative } = mark;
    const text = this.#textOf(place);
    const found =
      relative && Y.createAbsolutePositionFromRelativePosition(relative, this.#outline.doc);
    if (found && found.type === text) return { ...place, at: found.index };
    return { ...place, at: Math.min(place.at, text?.length ?? 0) };
  }

  #textOf({ key, part }: CaretPlace): Y.Text | undefined {
    const text = textOf(nodesOf(this.#outline.doc), this.#outline.heldBy(key));
    if (text === undefined || part === "name") return text;
    const notes = notesOf(text);
    return notes.find((note) => note.length > 0) ?? notes[0];
  }
}

/** The nodes that it matters for whether others have written into them since. */
function nodesIn(change: Change): readonly NodeKey[] {
  if (change.kind === "trashed") return change.made ?? [];
  return "keys" in change ? change.keys : [];
}
