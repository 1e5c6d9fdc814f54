import type * as Y from "yjs";
import { completedAtOf } from "./node/completion.ts";
import { CONFLICT_RULES, type ConflictRules } from "./tree/conflict-rules.ts";
import { type Destination, Destinations, isRefusal, type Spot } from "./tree/destinations.ts";
import { parseDeletion, type DeletionMark } from "./node/deletion-mark.ts";
import { inOneGo } from "./in-one-go.ts";
import type { Created, CreatedMirror, NewNode, PlainNode } from "./node/new-node.ts";
import { contentsOf, draftsOf } from "./node/new-node.ts";
import { isReservedKey, newNodeKey, type NodeKey } from "./node-key.ts";
import { editInSteps, editOf, type NodePatch } from "./node/node-patch.ts";
import { NodeWriter, type ContentEdit, type NewContent } from "./node/node-writer.ts";
import { OutlineQuota } from "./room/outline-quota.ts";
import { OutlineView, type OutlinePorts } from "./outline-view.ts";
import { shortcutProblem } from "./reference.ts";
import { NOT_FOUND, OK, type Done, type Refusal } from "./refusal.ts";
import { restoreRow } from "./tree/restore-row.ts";
import { ATTRIBUTE, SCHEMA_VERSION, textOf, VERSION } from "./schema.ts";
import { checkSettings, writeSettings, type Settings } from "./settings.ts";
import { SystemNodes } from "./calendar/system-nodes.ts";
import type { TextPart } from "./node/text-part.ts";
import { TreeWriter } from "./tree/tree-writer.ts";
import { itemsByKey } from "./yjs/inside.ts";

/** Seconds between the time marks that edits append. */
const SERVER_MARK_SEC = 1;
const DEVICE_MARK_SEC = 60;

/**
 * One user's outline: what is shown, and the operations on it.
 *
 * For every operation a node that is not visible is `not_found`. An operation is one transaction, or
 * part of the one it is called in, and sees what earlier operations of that transaction did; a
 * refused one has changed nothing.
 */
export class Outline extends OutlineView {
  /** Writes places: for repair. */
  readonly treeWriter: TreeWriter;
  /** Writes contents: for repair. */
  readonly nodeWriter: NodeWriter;
  /** Makes reserved nodes: for repair. */
  readonly systemNodes: SystemNodes;
  readonly #ports: OutlinePorts;
  readonly #destinations: Destinations;
  #quota: OutlineQuota;

  private constructor(doc: Y.Doc, ports: OutlinePorts, rules: ConflictRules) {
    super(doc, ports, rules);
    this.#ports = ports;
    this.#quota = new OutlineQuota(this.tree);
    const isDevice = ports.isDevice ?? false;
    const markEverySec = isDevice ? DEVICE_MARK_SEC : SERVER_MARK_SEC;
    this.nodeWriter = new NodeWriter(doc, this.nodes, this.marks, markEverySec);
    this.treeWriter = new TreeWriter(doc, this.nodes, this.tree, this.clock, () => ports.now());
    this.systemNodes = new SystemNodes(
      doc,
      this.nodes,
      this.tree,
      this.treeWriter,
      this.nodeWriter,
      isDevice,
    );
    this.#destinations = new Destinations(this.tree, this.treeWriter, this.systemNodes, () =>
      ports.now(),
    );
  }

  /** Reads the document in one go. @param rules only tests give others than the usual ones */
  static attach(doc: Y.Doc, ports: OutlinePorts, rules: ConflictRules = CONFLICT_RULES): Outline {
    return inOneGo(Outline.attachInSlices(doc, ports, rules));
  }

  /** Like `attach`, yielding every few milliseconds. The document must not change meanwhile. */
  static *attachInSlices(
    doc: Y.Doc,
    ports: OutlinePorts,
    rules: ConflictRules = CONFLICT_RULES,
  ): Generator<void, Outline> {
    const outline = new Outline(doc, ports, rules);
    yield* outline.follow();
    outline.#quota = new OutlineQuota(outline.tree, ports.makeRoom?.(doc, outline.tree));
    return outline;
  }

  /** What may still be written to it. */
  get quota(): OutlineQuota {
    return this.#quota;
  }

  override detach(): void {
    this.#quota.detach();
    super.detach();
  }

  /**
   * Creates a node, and children for further lines of the name. `not_found`: no such destination.
   * @param wanted a free key for it
   */
  create(input: NewNode, wanted?: NodeKey): Created | Refusal {
    const found = this.#destinations.find(input);
    if (isRefusal(found)) return found;
    const drafts = draftsOf(input);
    const full = this.#quota.takeFor(input, found, ({ addedNodes }) =>
      addedNodes(drafts.length, input.name, input.note ?? ""),
    );
    if (full !== undefined) return full;
    const nowMs = this.now();
    const [first, ...others] = contentsOf(input, drafts, nowMs);
    return this.#write(() => {
      const key = this.#add(this.#destinations.reach(found, input), nowMs, first, wanted);
      for (const content of others) {
        this.#add(this.#destinations.below(key, "bottom"), nowMs, content);
      }
      return { kind: "created", key };
    });
  }

  /**
   * Creates a mirror of a node, or of the one that it is itself a mirror of: the same line in another
   * place. `not_found`: no such node or destination. `invalid_parent`: the destination is the node
   * itself, or something in it. @param wanted a free key for it
   */
  mirror(of: NodeKey, to: Destination, wanted?: NodeKey): CreatedMirror | Refusal {
    const row = this.visibleNode(of) && this.visibleNode(this.heldBy(of));
    if (row === undefined) return NOT_FOUND;
    const found = this.#destinations.find(to, { outside: row });
    if (isRefusal(found)) return found;
    const full = this.#quota.takeMirror(to, found);
    if (full !== undefined) return full;
    return this.#write(() => {
      const content = { name: [], origin: row.key };
      const key = this.#add(this.#destinations.reach(found, to), this.now(), content, wanted);
      return { kind: "created", key, origin: row.key };
    });
  }

  /**
   * Creates a node exactly as given. Its destination must be there and its key must be free.
   * Without `createdAt` it is created now; without `modifiedAt` it was last modified when created.
   */
  createPlain(input: PlainNode): NodeKey {
    const found = this.#destinations.find(input);
    if (isRefusal(found)) throw new Error("no such place for a new node");
    if (input.key !== undefined && (isReservedKey(input.key) || this.isTaken(input.key))) {
      throw new Error("the key of a new node is taken");
    }
    const createdAtMs = input.createdAt === undefined ? this.now() : input.createdAt * 1000;
    return this.#write(() => {
      const key = this.#add(this.#destinations.reach(found, input), createdAtMs, input, input.key);
      const createdAt = Math.floor(createdAtMs / 1000);
      const modifiedAt = Math.max(input.modifiedAt ?? 0, createdAt);
      this.nodeWriter.dateNew(key, createdAt, modifiedAt);
      return key;
    });
  }

  /** Makes an empty node, in which nothing is, a mirror of another that is none. Nothing when either is gone. */
  makeMirror(key: NodeKey, origin: NodeKey): void {
    const text = this.#visibleText(key);
    if (text === undefined || !this.has(origin) || this.heldBy(origin) !== origin) return;
    this.#write(() => {
      text.setAttribute(ATTRIBUTE.origin, origin);
      this.tree.refresh([key]);
    });
  }

  /** Changes what a node holds; through a mirror its origin's. What the patch says already changes nothing, no time either. */
  update(key: NodeKey, patch: NodePatch): Done | Refusal {
    const text = this.#visibleText(key);
    if (text === undefined) return NOT_FOUND;
    return this.#edit(text, editOf(text, patch), patch);
  }

  /** The same with a rest after each step that takes long when texts are long. Nothing else may write. */
  *updateInSteps(key: NodeKey, patch: NodePatch): Generator<void, Done | Refusal> {
    const text = this.#visibleText(key);
    if (text === undefined) return NOT_FOUND;
    return this.#edit(text, yield* editInSteps(text, patch), patch);
  }

  /**
   * Lets `work` write into the name or the note of a node, as an editor does. A note is made when there
   * is none; what several authors began becomes one. Dated to the minute.
   */
  editText(key: NodeKey, part: TextPart, work: (text: Y.Text) => void): Done | Refusal {
    const text = this.#visibleText(key);
    if (text === undefined) return NOT_FOUND;
    this.#write(() => {
      const nowSec = Math.floor(this.now() / 1000);
      const edited = part === "name" ? text : this.nodeWriter.noteOf(text);
      if (this.nodeWriter.write(edited, nowSec, work)) return;
      const isDue = nowSec - (this.modifiedAt(key) ?? 0) >= DEVICE_MARK_SEC;
      if (isDue) this.nodeWriter.stamp(text, nowSec);
    });
    return OK;
  }

  /** Completing a completed node, or reopening an open one, changes nothing. */
  setCompleted(key: NodeKey, completed: boolean): Done | Refusal {
    const text = this.#visibleText(key);
    if (text === undefined) return NOT_FOUND;
    if (completed === (completedAtOf(text) !== null)) return OK;
    return this.update(key, { completed });
  }

  /**
   * Moves a node with all below it. `invalid_parent`: below itself. To where it is already: nothing
   * changes.
   */
  move(key: NodeKey, to: Destination): Done | Refusal {
    const row = this.visibleNode(key);
    if (row === undefined) return NOT_FOUND;
    const found = this.#destinations.find(to, { moving: row, outside: row });
    if (isRefusal(found)) return found;
    if (found.kind === "spot" && found.gap.isOwnPlace) return OK;
    const full = this.#quota.takeFor(to, found, ({ UPKEEP }) => UPKEEP);
    if (full !== undefined) return full;
    this.#write(() => {
      // What the rules show in place of what the registers say is written down first: the move must
      // not make another node jump.
      this.treeWriter.writeDownFallen(row);
      const { parent } = this.#destinations.reach(found, to);
      const spot = this.#destinations.spotBelow(parent, to.position ?? "top", row);
      this.treeWriter.move(row, this.#destinations.placeAt(spot));
    });
    return OK;
  }

  /** Deletes a node with all below it, for good. */
  remove(key: NodeKey): Done | Refusal {
    return this.#markDeleted(key, { kind: "final", seen: "everything" });
  }

  /** Puts a node with all below it into the trash. @param seen what this device had of the log */
  trash(key: NodeKey, seen: number): Done | Refusal {
    return this.#markDeleted(key, { kind: "trash", seen });
  }

  /**
   * Takes a node out of the trash: to where it was or, when that is deleted too, to where the topmost
   * deleted node above it was. What was rescued out of it or below it, and nobody has moved since, goes
   * back there. `not_found` for everything that is not itself in the trash.
   */
  restore(key: NodeKey): Done | Refusal {
    const row = this.tree.rowAt(key);
    if (row === undefined || parseDeletion(row.deletion)?.kind !== "trash") return NOT_FOUND;
    const full = this.#quota.takeUpkeep();
    if (full !== undefined) return full;
    this.#write(() => restoreRow(row, this.tree, this.treeWriter));
    return OK;
  }

  /**
   * Deletes for good what is in the trash. `not_found` for everything that is not itself there.
   * @param seen what this device had of the log
   */
  discard(key: NodeKey, seen: DeletionMark["seen"]): Done | Refusal {
    const row = this.tree.rowAt(key);
    const mark = parseDeletion(row?.deletion);
    if (row === undefined || mark?.kind !== "trash") return NOT_FOUND;
    // What the deleter had not seen when it went to the trash is no part of this deletion either. With
    // all that reaches the server before this mark it would take what others put in meanwhile.
    const seenThen = mark.seen === "everything" ? seen : mark.seen;
    this.#write(() => this.treeWriter.markDeleted(row, { kind: "final", seen: seenThen }));
    return OK;
  }

  /**
   * Makes a shortcut or points an existing one anew; one of a search may lead home.
   * `invalid_shortcut`, `not_found`: no such node, `outline_full`.
   */
  setShortcut(shortcut: string, node: NodeKey): Done | Refusal {
    const reason = shortcutProblem(shortcut);
    if (reason !== undefined) return { kind: "invalid_shortcut", reason };
    if (!this.mayLeadTo(shortcut, node)) return NOT_FOUND;
    const isNew = this.shortcutNode(shortcut) === undefined;
    const isHidden = (key: string, at: NodeKey): boolean => !this.mayLeadTo(key, at);
    const hidden = isNew ? this.shortcutList.inTheWay(isHidden) : undefined;
    if (hidden !== undefined && typeof hidden !== "string") return hidden;
    const full = this.#quota.takeUpkeep();
    if (full !== undefined) return full;
    this.#write(() => {
      if (hidden !== undefined) this.shortcutList.delete(hidden, this.now());
      // That of a deleted node is gone, with its age.
      this.shortcutList.set(shortcut, node, this.now(), isNew);
    });
    return OK;
  }

  removeShortcut(shortcut: string): Done | Refusal {
    const node = this.shortcutList.nodeOf(shortcut);
    if (node === undefined || !this.mayLeadTo(shortcut, node)) return NOT_FOUND;
    this.#write(() => this.shortcutList.delete(shortcut, this.now()));
    return OK;
  }

  /** What is stored of the shortcuts, by the folded ones: to be given to `writeShortcut` again. */
  storedShortcuts(): ReadonlyMap<string, string> {
    return this.shortcutList.stored();
  }

  /** Makes a shortcut what it was once, as of now; undefined: none. */
  writeShortcut(folded: string, stored: string | undefined): void {
    this.#write(() => {
      if (stored === undefined) this.shortcutList.delete(folded, this.now());
      else this.shortcutList.write(folded, stored, this.now());
    });
  }

  /** `invalid_setting`: a setting outside its range; then none is changed. */
  configure(patch: Partial<Settings>): Done | Refusal {
    const result = checkSettings(patch);
    if (result.kind !== "ok") return result;
    const full = this.#quota.takeUpkeep();
    if (full !== undefined) return full;
    this.#write(() => writeSettings(this.meta, patch, this.now()));
    return result;
  }

  /** Why a new node can't go to a destination; undefined when it can. */
  checkDestination(to: Destination): Refusal | undefined {
    const found = this.#destinations.find(to);
    return isRefusal(found) ? found : undefined;
  }

  /**
   * Whether `key` is a reserved node that making it would put at or below `ancestor`, which is `ROOT`
   * or visible.
   */
  wouldContain(ancestor: NodeKey, key: NodeKey): boolean {
    const row = this.tree.visibleRow(ancestor);
    return row !== undefined && this.systemNodes.wouldBeWithin(key, row);
  }

  /** Unix milliseconds by the outline's clock. */
  now(): number {
    return this.#ports.now();
  }

  /** A key that no node has or had. */
  freeKey(): NodeKey {
    for (;;) {
      const key = newNodeKey(this.#ports.random);
      if (!this.isTaken(key)) return key;
    }
  }

  /** Also true for the key of a node that is gone: nothing may ever use it again. */
  isTaken(key: NodeKey): boolean {
    return itemsByKey(this.nodes).has(key);
  }

  protected override endTransaction(): void {
    this.nodeWriter.endTransaction();
  }

  #edit(text: Y.Text, edit: ContentEdit | undefined, patch: NodePatch): Done | Refusal {
    if (edit === undefined) return OK;
    const full = this.#quota.takeForEdit(text, edit, patch);
    if (full !== undefined) return full;
    this.#write(() => this.nodeWriter.edit(text, edit, this.now()));
    return OK;
  }

  #visibleText(key: NodeKey): Y.Text | undefined {
    return this.visibleNode(key) === undefined ? undefined : textOf(this.nodes, this.heldBy(key));
  }

  #write<T>(work: () => T): T {
    return this.doc.transact(() => {
      // Once it is said, it is the server's to say.
      const version = this.meta.get(VERSION);
      const isSaid = this.isDevice ? version !== undefined : version === SCHEMA_VERSION;
      if (!isSaid) this.meta.set(VERSION, SCHEMA_VERSION);
      return work();
    });
  }

  #markDeleted(key: NodeKey, mark: DeletionMark): Done | Refusal {
    const row = this.visibleNode(key);
    if (row === undefined) return NOT_FOUND;
    this.#write(() => {
      // What points below the row and is shown elsewhere is no part of it, and must not become one.
      this.treeWriter.writeDownFallen();
      this.treeWriter.markDeleted(row, mark);
    });
    return OK;
  }

  #add(spot: Spot, createdAtMs: number, content: NewContent, wantedKey?: NodeKey): NodeKey {
    const key = wantedKey ?? this.freeKey();
    const text = this.nodeWriter.create(key, content);
    this.treeWriter.place(key, text, this.#destinations.placeAt(spot), createdAtMs);
    return key;
  }
}
