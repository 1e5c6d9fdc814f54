import { Line } from "./line.ts";

/** Connections to one process on which nothing is asked, and that are kept. */
const MOST_IDLE = 64;

/** The connections to the other processes of the service. */
export class Lines {
  /** By address. [Q92] */
  readonly #idle = new Map<string, Line[]>();
  /** With those on which something is asked. [Q92] */
  readonly #all = new Set<Line>();

  /** A connection that may not be made yet. @param address host and port */
  take(address: string): Line {
    for (;;) {
      const idle = this.#idle.get(address)?.pop();
      if (idle === undefined) break;
      if (idle.isOpen) return idle;
    }
    const line = new Line(address, {
      onIdle: () => this.#keep(address, line),
      onClosed: () => this.#forget(address, line),
    });
    this.#all.add(line);
    return line;
  }

  close(): void {
    for (const line of this.#all) line.destroy();
  }

  #keep(address: string, line: Line): void {
    const idle = this.#idle.get(address) ?? [];
    if (idle.length >= MOST_IDLE) return line.destroy();
    idle.push(line);
    this.#idle.set(address, idle);
  }

  #forget(address: string, line: Line): void {
    this.#all.delete(line);
    const left = this.#idle.get(address)?.filter((each) => each !== line) ?? [];
    if (left.length > 0) this.#idle.set(address, left);
    else this.#idle.delete(address);
  }
}
