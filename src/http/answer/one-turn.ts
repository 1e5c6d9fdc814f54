/** To encode them and to write them to a connection takes a fraction of a millisecond. */
const MOST_CHARACTERS = 64 * 1024;
const MOST_MS = 4;
/** The clock is looked at so rarely that a list of short texts does not feel it. */
const CLOCK_EVERY_CHARACTERS = 4 * 1024;

/**
 * Tells when a list that is made in one go becomes too much for one turn of the event loop. Length
 * alone does not say so: what a text costs depends on its formats, and on whether it is kept.
 */
export class OneTurn {
  readonly #endsAt = performance.now() + MOST_MS;
  #nextLook = CLOCK_EVERY_CHARACTERS;

  /** @param characters of the list so far */
  isOver(characters: number): boolean {
    if (characters < this.#nextLook) return false;
    this.#nextLook = characters + CLOCK_EVERY_CHARACTERS;
    return characters > MOST_CHARACTERS || performance.now() > this.#endsAt;
  }
}
