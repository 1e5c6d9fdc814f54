import type { Session } from "./session.ts";

interface Connection {
  readonly keyId: string;
  readonly address: string;
}

/** All sessions whose sockets are open, and how many each key and each address has. */
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

  remove(session: Session): void {
    const connection = this.#all.get(session);
    if (connection === undefined) return;
    const { keyId, address } = connection;
    this.#all.delete(session);
    const ofKey = this.#byKey.get(keyId);
    ofKey?.delete(session);
    if (ofKey?.size === 0) this.#byKey.delete(keyId);
    const left = this.countOfAddress(address) - 1;
    if (left === 0) this.#byAddress.delete(address);
    else this.#byAddress.set(address, left);
  }
}
