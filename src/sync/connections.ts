import type { Session } from "./session.ts";

interface Connection {
  readonly keyId: string;
  readonly address: string;
}

/**
 * All sessions whose sockets are open, and how many each key and each address has. One that has closed
 * counts until what it sent is judged: else whoever connects over and over has no limit.
 */
export class Connections {
  readonly #all = new Map<Session, Connection>();
  readonly #byKey = new Map<string, Set<Session>>();
  readonly #byAddress = new Map<string, number>();

  get size(): number {
    return this.#all.size;
  }

  sessions(): readonly Session[] {
    return [...this.#all.keys()];
  }

  ofKey(keyId: string): readonly Session[] {
    return [...(this.#byKey.get(keyId) ?? [])];
  }

  countOfKey(keyId: string): number {
    return this.#byKey.get(keyId)?.size ?? 0;
  }

  countOfAddress(address: string): number {
    return this.#byAddress.get(address) ?? 0;
  }

  add(session: Session, connection: Connection): void {
    const { keyId, address } = connection;
    this.#all.set(session, connection);
    const ofKey = this.#byKey.get(keyId);
    if (ofKey === undefined) this.#byKey.set(keyId, new Set([session]));
    else ofKey.add(session);
    this.#byAddress.set(address, this.countOfAddress(address) + 1);
  }

  /** @param judged resolves when it counts no more */
  remove(session: Session, judged: Promise<unknown>): void {
    const connection = this.#all.get(session);
    if (connection === undefined) return;
    this.#all.delete(session);
    void judged.then(() => this.#forget(session, connection));
  }

  #forget(session: Session, { keyId, address }: Connection): void {
    const ofKey = this.#byKey.get(keyId);
    ofKey?.delete(session);
    if (ofKey?.size === 0) this.#byKey.delete(keyId);
    const left = this.countOfAddress(address) - 1;
    if (left === 0) this.#byAddress.delete(address);
    else this.#byAddress.set(address, left);
  }
}
