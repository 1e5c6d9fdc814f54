import * as Y from "yjs";
import type { BareGroupCommit } from "./bare-group-commit.ts";

/** What a node to be written holds, as a request says it. */
export interface BareNode {
  readonly name: string;
  readonly note?: string;
  readonly completed?: boolean;
}

/** As long as that of a new node. */
const REGISTER = "00000000000000000000";

/**
 * The least that a server can do for a new node when its outlines are Yjs documents: the structs of
 * the node, in one transaction for all that one turn of the event loop brings, and its update in a
 * group commit. No tree, no index, no order, no markdown, no judgement, no subscribers, no snapshots.
 */
export class BareOutline {
  readonly #doc = new Y.Doc();
  readonly #nodes = this.#doc.getMap<Y.Text>("nodes");
  #count = 0;
  #waiting: { readonly node: BareNode; readonly done: (key: string) => void }[] = [];
  #durable = Promise.resolve();

  /** @param size how many nodes are there to begin with */
  constructor(log: BareGroupCommit, size: number) {
    this.#doc.clientID = 1_000;
    this.#doc.transact(() => {
      while (this.#count < size) this.#write({ name: "somebody wrote this down to think of it" });
    });
    this.#doc.on("update", (update: Uint8Array) => {
      this.#durable = log.append(update);
    });
  }

  /** Resolves with the key of the node when it is durable. */
  add(node: BareNode): Promise<string> {
    return new Promise((done) => {
      this.#waiting.push({ node, done });
      if (this.#waiting.length === 1) setImmediate(() => void this.#run());
    });
  }

  async #run(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    const keys = this.#doc.transact(() => waiting.map(({ node }) => this.#write(node)));
    await this.#durable;
    for (const [index, { done }] of waiting.entries()) done(keys[index] ?? "");
  }

  #write({ name, note, completed }: BareNode): string {
    const key = (this.#count += 1).toString(16).padStart(12, "0");
    const text = new Y.Text();
    this.#nodes.set(key, text);
    text.insert(0, name);
    if (completed === true) text.setAttribute("c", 1_780_000_000);
    if (note !== undefined) {
      const noteText = new Y.Text();
      text.setAttribute("n1000", noteText);
      noteText.insert(0, note);
    }
    text.setAttribute("p", REGISTER);
    return key;
  }
}
