/**
 * Which of the numbered updates of a store one handle knows: all up to a number, and beyond it those
 * that it has written itself.
 */
export class ReadMark {
  #upTo = 0;
  readonly #own = new Set<number>();

  /** Everything up to here is known. */
  get upTo(): number {
    return this.#upTo;
  }

  isNew(number: number): boolean {
    return number > this.#upTo && !this.#own.has(number);
  }

  /** Notes what this handle has written. */
  wrote(number: number): void {
    if (number <= this.#upTo) return;
    this.#own.add(number);
    // As long as nobody else writes, nothing has to be remembered but where that ends.
    while (this.#own.delete(this.#upTo + 1)) this.#upTo += 1;
  }

  /** Notes that everything up to a number has been read. */
  read(number: number): void {
    if (number <= this.#upTo) return;
    this.#upTo = number;
    for (const own of this.#own) if (own <= number) this.#own.delete(own);
    while (this.#own.delete(this.#upTo + 1)) this.#upTo += 1;
  }
}
