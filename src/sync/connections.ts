import type { Session } from "./session.ts";

interface Connection {
  /** Handle of the key or the browser's session that was shown. */
  readonly shownId: string;
  readonly user: string;
  readonly address: string;
}

/**
 * All sessions whose sockets are open, and how many each user and each address has. One that has closed
 * counts until what it sent is judged: else whoever connects over and over has no limit. Who is only
 * being looked up counts for the address.
 */
export class Connections {
  /** [Q56] */
  readonly #all = new Map<Session, Connection>();
  /** [Q56] */
  readonly #byShown = new Map<string, Set<Session>>();
  readonly #byUser = new Counts();
  readonly #byAddress = new Counts();

  get size(): number {
    return this.#all.size;
  }

  /** With those that have closed and are not judged, and those that are being looked up. */
  get countInAll(): number {
    return this.#byAddress.sum;
  }

  sessions(): readonly Session[] {
    return [...this.#all.keys()];
  }

  /** Those that were opened by that key or browser's session. */
  shownBy(id: string): readonly Session[] {
    return [...(this.#byShown.get(id) ?? [])];
  }

  countOfUser(user: string): number {
    return this.#byUser.of(user);
  }

  countOfAddress(address: string): number {
    return this.#byAddress.of(address);
  }

  /** Counts one that is being looked up. Returns what ends that, once. */
  knock(address: string): () => void {
    this.#byAddress.add(address, 1);
    return () => this.#byAddress.add(address, -1);
  }

  add(session: Session, connection: Connection): void {
    const { shownId, user, address } = connection;
    this.#all.set(session, connection);
    const shown = this.#byShown.get(shownId);
    if (shown === undefined) this.#byShown.set(shownId, new Set([session]));
    else shown.add(session);
    this.#byUser.add(user, 1);
    this.#byAddress.add(address, 1);
  }

  /** @param judged resolves when it counts no more */
  remove(session: Session, judged: Promise<unknown>): void {
    const connection = this.#all.get(session);
    if (connection === undefined) return;
    const { shownId } = connection;
    this.#all.delete(session);
    const shown = this.#byShown.get(shownId);
    shown?.delete(session);
    if (shown?.size === 0) this.#byShown.delete(shownId);
    void judged.then(() => this.#forget(connection));
  }

  #forget({ user, address }: Connection): void {
    this.#byUser.add(user, -1);
    this.#byAddress.add(address, -1);
  }
}

/** How many there are of each; none of whom there is none. */
class Counts {
  /** [Q56] */
  readonly #counts = new Map<string, number>();
  #sum = 0;

  get sum(): number {
    return this.#sum;
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, more: number): void {
    const count = this.of(name) + more;
    this.#sum += more;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}
