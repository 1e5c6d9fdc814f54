import { open } from "../../../client/lib/node/open.ts";
import type { Replica } from "../../../client/lib/replica.ts";
import type { Status } from "../../../client/lib/status.ts";
import { MemoryReplicaStore } from "../../support/memory-replica/memory-replica-store.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Ledger } from "./ledger.ts";
import { type Member, namesBelow } from "./member.ts";

/** The client library, whose status is what a person is told. */
export class LibraryMember implements Member {
  readonly name: string;
  readonly isPromised = true;
  readonly #replica: Replica;
  readonly #ledger: () => Ledger;
  /** What was done and not yet said to be saved. */
  #pending: string[] = [];
  #count = 0;

  private constructor(name: string, replica: Replica, ledger: () => Ledger) {
    this.name = name;
    this.#replica = replica;
    this.#ledger = ledger;
    replica.onStatus((status) => this.#note(status));
  }

  static async open(
    name: string,
    options: { readonly url: string; readonly key: string; readonly ledger: () => Ledger },
  ): Promise<LibraryMember> {
    const { url, key, ledger } = options;
    const replica = await open({ url, key, store: new MemoryReplicaStore() });
    return new LibraryMember(name, replica, ledger);
  }

  get isSettled(): boolean {
    return this.#replica.status.kind === "saved" && this.#pending.length === 0;
  }

  step(parent: NodeKey): void {
    if (!this.#replica.outline.has(parent)) return;
    // "Saved" is said of everything at once: somebody who never pauses would never read it.
    if (this.#replica.status.kind === "saving") return this.look();
    const name = `${this.name}n${this.#count++}`;
    this.#ledger().ask(name);
    this.#pending.push(name);
    this.#replica.outline.create({ parent, name });
    // Read in the same turn: a status that says "saved" of what was just done is wrong already.
    this.#note(this.#replica.status);
  }

  look(): void {
    this.#note(this.#replica.status);
  }

  knows(key: NodeKey): boolean {
    return this.#replica.outline.has(key);
  }

  names(parent: NodeKey): ReadonlySet<string> {
    return namesBelow(this.#replica.outline, parent);
  }

  close(): Promise<void> {
    return this.#replica.close();
  }

  #note(status: Status): void {
    const ledger = this.#ledger();
    switch (status.kind) {
      case "saved":
        for (const name of this.#pending) ledger.promise(name);
        this.#pending = [];
        return;
      case "local":
        if (status.cause === "unavailable") ledger.tell(this.name);
        if (["signed_out", "read_only", "outdated", "refused"].includes(status.cause)) {
          ledger.offences.push(`${this.name}: the status says ${status.cause}`);
        }
        return;
      case "saving":
      case "unsaved":
        return;
    }
  }
}
