/** Firefox types a character beyond the basic plane in two halves, each with events of its own. */
export class Halves {
  #first = "";

  /**
   * What is to be written instead of what the browser is about to write: nothing ("") for the first
   * half of a character, the whole of it for the second one; undefined for everything else.
   */
  take(data: string | null): string | undefined {
    const first = this.#first;
    this.#first = "";
    if (data === null) return undefined;
    if (/^[\uD800-\uDBFF]$/.test(data)) {
      this.#first = data;
      return "";
    }
    return first !== "" && /^[\uDC00-\uDFFF]$/.test(data) ? first + data : undefined;
  }
}
