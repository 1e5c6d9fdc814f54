/**
 * What waits, by whom it came from: each sender's in the order in which it came, and the senders in
 * turn, one thing at a time. Whoever sends a little waits for one thing of each other sender, however
 * much those have sent.
 */
export class FairQueue<Sender, T> {
  /** In the order of their turns; none is empty. Bounded by what those wait for who add, as [Q50]. */
  readonly #bySender = new Map<Sender, T[]>();
  #size = 0;

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** How much waits, of all. */
  get size(): number {
    return this.#size;
  }

  /** What comes next; it stays that, whatever is added. */
  get first(): T | undefined {
    for (const [first] of this.#bySender.values()) return first;
    return undefined;
  }

  add(sender: Sender, thing: T): void {
    this.#size++;
    const things = this.#bySender.get(sender);
    if (things === undefined) this.#bySender.set(sender, [thing]);
    else things.push(thing);
  }

  /**
   * Takes what comes next of those senders that may have their turn, which comes again behind the
   * others'; undefined when there is none.
   */
  take(mayHaveTurn: (sender: Sender) => boolean = () => true): T | undefined {
    for (const [sender, things] of this.#bySender) {
      if (!mayHaveTurn(sender)) continue;
      const first = things.shift();
      this.#size--;
      const isLast = things.length === 0;
      // A sender alone keeps its place: to give it another is most of what this costs.
      if (isLast || this.#bySender.size > 1) this.#bySender.delete(sender);
      if (!isLast) this.#bySender.set(sender, things);
      return first;
    }
    return undefined;
  }

  /** Takes all that waits. */
  takeAll(): readonly T[] {
    const all = [...this.#bySender.values()].flat();
    this.#bySender.clear();
    this.#size = 0;
    return all;
  }
}
