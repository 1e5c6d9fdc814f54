import type * as Y from "yjs";
import { type EditName, Outbox, ownEdit, type OwnEdit, type Settled, tokensOf } from "./outbox.ts";
import type { Platform } from "./platform.ts";
import type {
  OwnUpdate,
  ReplicaReplacement,
  ReplicaStore,
  StoreError,
} from "./store/replica-store.ts";
import { StoreWriter, type StoreWriterListener } from "./store-writer.ts";

export interface OwnEditsListener {
  /** Edits may be sent and told to other tabs: they are stored, or can't be. Others may be settled. */
  onReady(edits: readonly OwnEdit[]): void;
  /** Settled before they were stored: who reads the store now takes them for unsent. */
  onSettledBefore(edits: readonly OwnEdit[]): void;
  /** What `failure` says has changed; or a store is lost once more that was begun anew. */
  onFailure(): void;
}

/**
 * The edits of this device on their way: first to the store, then to the outbox, out of which the
 * server's acknowledgement takes them. When the store fails they go to the outbox all the same.
 */
export class OwnEdits implements StoreWriterListener {
  readonly writer: StoreWriter;
  readonly #outbox = new Outbox();
  readonly #listener: OwnEditsListener;
  readonly #platform: Pick<Platform, "now" | "elapsed" | "setTimer">;
  /** Edits that went to the outbox without being stored, and are to be stored by this tab. */
  readonly #passedOn = new Set<string>();
  /** Tokens of edits that were made by this tab. */
  readonly #mine = new Set<string>();
  /** Tokens of edits that nobody can have sent yet. Others may be settled. */
  readonly #neverSent = new Set<string>();

  constructor(
    store: ReplicaStore,
    platform: Pick<Platform, "now" | "elapsed" | "setTimer">,
    listener: OwnEditsListener,
  ) {
    this.writer = new StoreWriter(store, platform, this);
    this.#platform = platform;
    this.#listener = listener;
  }

  get failure(): StoreError | undefined {
    return this.writer.failure;
  }

  /** Edits that the server has not acknowledged, as far as they are stored or can't be. */
  get outbox(): readonly OwnEdit[] {
    return this.#outbox.all();
  }

  get unsent(): { readonly count: number; readonly since: number | undefined } {
    return { count: this.#outbox.size, since: this.#outbox.since };
  }

  /** How many lines of a document, which has them, the edits of the outbox have changed. */
  unsentLines(doc: Y.Doc): number {
    return this.#outbox.linesIn(doc);
  }

  /** All that the server has not acknowledged. */
  get unsaved(): readonly OwnEdit[] {
    return [...this.#outbox.all(), ...this.#onlyHere];
  }

  /** Those of them that nobody can have sent yet: what the server has under their ids is a copy's. */
  get neverSent(): readonly OwnEdit[] {
    if (this.#neverSent.size === 0) return [];
    return this.unsaved.filter(({ token }) => this.#neverSent.has(token));
  }

  /** How many the server has not acknowledged. */
  get unsavedCount(): number {
    return this.#outbox.size + this.#onlyHere.length;
  }

  /** Whether an edit was made by this tab. */
  isMine({ token }: OwnEdit): boolean {
    return this.#mine.has(token);
  }

  /** What has been made so far may be sent from now on, or may have been before it came here. */
  markSent(): void {
    this.#neverSent.clear();
    this.writer.sent();
  }

  /** Takes in an update that was made here. */
  add(update: Uint8Array): OwnEdit {
    const edit = this.#edit(update, this.#platform.now());
    this.writer.own(edit);
    return edit;
  }

  /** Takes in edits of other tabs. */
  addOthers(edits: readonly OwnEdit[]): void {
    for (const edit of edits) this.#outbox.add(edit);
  }

  /** What other tabs could not store, one tab stores for them: its store may work. */
  keepOthers(edits: readonly OwnEdit[] = this.#outbox.all()): void {
    for (const edit of edits) {
      if (edit.number !== undefined || this.isMine(edit) || this.#passedOn.has(edit.token))
        continue;
      this.#passedOn.add(edit.token);
      this.writer.own(edit);
    }
  }

  /**
   * Takes in the store's outbox, but for what is about to leave it.
   * @param madeAt of the oldest, which the store does not know
   * @param sentUpTo nobody can have sent those of greater numbers
   */
  addStored(updates: readonly OwnUpdate[], madeAt: number, sentUpTo = Infinity): void {
    const leaving = new Set(this.writer.leaving);
    for (const { number, update } of updates) {
      if (leaving.has(number) || this.#outbox.hasNumber(number)) continue;
      const edit = ownEdit(update, madeAt, number);
      this.#outbox.add(edit);
      if (number > sentUpTo) this.#neverSent.add(edit.token);
    }
  }

  /**
   * The server has these; the store is told with the next write, by one tab. Answers them as they are
   * known here.
   */
  settle(edits: readonly EditName[], tellsStore: boolean): readonly Settled[] {
    const settled = this.#outbox.settle(edits);
    for (const { token } of settled) this.#mine.delete(token);
    const numbers = tellsStore ? settled.flatMap((each) => each.numbers) : [];
    this.writer.settled(numbers, new Set(tokensOf(settled)));
    return settled;
  }

  /**
   * Puts another replica into the store, with one edit in place of all, or none.
   * @param onDone called when that is done; also when it can't be done now, and is tried again
   */
  replace(
    update: Uint8Array | undefined,
    madeAt: number,
    make: () => Omit<ReplicaReplacement, "own">,
    onDone: () => void,
  ): OwnEdit | undefined {
    this.#clear();
    const edit = update === undefined ? undefined : this.#edit(update, madeAt);
    let isToldAlready = false;
    const tell = (number: number | undefined): void => {
      onDone();
      // Settled while the store failed: it is no own edit any more.
      const isSettled = isToldAlready && number === undefined;
      isToldAlready = true;
      if (edit !== undefined && !isSettled) this.#pass([{ ...edit, number }]);
    };
    this.writer.replace({
      own: edit === undefined ? [] : [edit],
      make,
      onDone: ([number]) => tell(number),
      onDelayed: () => (isToldAlready ? undefined : tell(undefined)),
    });
    return edit;
  }

  /**
   * Another tab has put another replica into the store: what was on its way is forgotten, and in its
   * place comes what is stored, with one edit that is not, or none. Nobody is told anything between.
   * @param madeAt of the oldest that is stored
   */
  restart(stored: readonly OwnUpdate[], madeAt: number, update: Uint8Array | undefined): void {
    this.#clear();
    this.addStored(stored, madeAt);
    const now = this.#platform.now();
    this.writer.restart(update === undefined ? [] : [this.#edit(update, now)]);
  }

  onStored(edits: readonly OwnEdit[]): void {
    this.#pass(edits);
  }

  onUnstored(edits: readonly OwnEdit[]): void {
    const news = edits.filter(({ token }) => !this.#passedOn.has(token));
    if (news.length > 0) this.#pass(news);
  }

  onFailure(): void {
    this.#listener.onFailure();
  }

  get #onlyHere(): readonly OwnEdit[] {
    return this.writer.unstored.filter((edit) => !this.#outbox.has(edit));
  }

  #clear(): void {
    this.#outbox.clear();
    for (const tokens of [this.#mine, this.#neverSent, this.#passedOn]) tokens.clear();
  }

  #edit(update: Uint8Array, madeAt: number): OwnEdit {
    const edit = ownEdit(update, madeAt);
    this.#mine.add(edit.token);
    this.#neverSent.add(edit.token);
    return edit;
  }

  /** To the outbox: edits that are stored, or that go on without. */
  #pass(edits: readonly OwnEdit[]): void {
    const open: OwnEdit[] = [];
    const settled: OwnEdit[] = [];
    for (const edit of edits) {
      const { token, number } = edit;
      const isKnown = number === undefined ? false : this.#passedOn.delete(token);
      // What was sent unstored may be settled before the store has it.
      if (isKnown && !this.#outbox.has(edit)) settled.push(edit);
      else open.push(edit);
      if (number === undefined) this.#passedOn.add(token);
    }
    if (settled.length > 0) {
      const numbers = settled.flatMap(({ number }) => number ?? []);
      this.writer.settled(numbers, new Set());
      this.#listener.onSettledBefore(settled);
    }
    for (const edit of open) this.#outbox.add(edit);
    this.#listener.onReady(open);
  }
}
