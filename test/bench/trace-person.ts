import * as Y from "yjs";
import { newOutlineId, ROOT, type NodeKey, type Random } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import { nodesOf } from "../../src/core/schema.ts";
import { readRichText } from "../../src/core/text/y-text.ts";
import type { TraceCommit, TraceOperation } from "../property/trace-history.ts";
import type { LoadConnection, Step } from "./load-connection.ts";

const FROM_SERVER = "server";
/** How much of what a person does is done by a program of theirs. */
const BY_PROGRAM = 0.3;

/** The operations that lead to the last outline of a history, as one author would have done them. */
export function mainLineOf(commits: readonly TraceCommit[]): readonly TraceOperation[] {
  const byNumber = new Map(commits.map((commit) => [commit.number, commit]));
  const line: TraceCommit[] = [];
  for (let commit = commits.at(-1); commit !== undefined;) {
    line.unshift(commit);
    const [first] = commit.parents;
    commit = first === undefined ? undefined : byNumber.get(first);
  }
  return line.flatMap(({ operations }) => operations);
}

/**
 * A person who does what is in a recorded history: some of it by requests of a program, which reads
 * before it writes, the rest on a device, where names are typed letter by letter. Keeps every step.
 */
export class TracePerson {
  readonly steps: Step[] = [];
  readonly #connection: LoadConnection;
  readonly #random: Random;
  readonly #doc = new Y.Doc();
  readonly #outline: Outline;
  readonly #keys = new Map<string, NodeKey>();
  #made: Uint8Array[] = [];
  #arrived: () => void = () => undefined;

  constructor(connection: LoadConnection, random: Random) {
    this.#connection = connection;
    this.#random = random;
    const ports = { id: newOutlineId(random), now: Date.now, random, isDevice: true };
    this.#outline = Outline.attach(this.#doc, ports);
    this.#doc.on("update", (update: Uint8Array, origin: unknown) => {
      if (origin !== FROM_SERVER) this.#made.push(update);
    });
    connection.onUpdate((update) => {
      Y.applyUpdate(this.#doc, update, FROM_SERVER);
      this.#arrived();
    });
  }

  async play(operations: readonly TraceOperation[]): Promise<void> {
    for (const operation of operations) {
      if (this.#random() < BY_PROGRAM) await this.#request(operation);
      else await this.#edit(operation);
    }
  }

  async #request(operation: TraceOperation): Promise<void> {
    const { op } = operation;
    if (op === "create" || op === "move") {
      const parent = operation.parent === null ? null : this.#key(operation.parent);
      await this.#ask("GET", `/api/v1/nodes?parent_id=${parent ?? "None"}`);
      const place = {
        parent_id: parent,
        position: operation.after === null ? "top" : "bottom",
      };
      if (op === "move") {
        await this.#ask("POST", `/api/v1/nodes/${this.#key(operation.id)}/move`, place);
        return;
      }
      const answer = await this.#ask("POST", "/api/v1/nodes", { ...place, name: operation.name });
      const { item_id: id } = JSON.parse(answer) as { readonly item_id: string };
      this.#keys.set(operation.id, id.slice(-ROOT.length) as NodeKey);
      return;
    }
    const path = `/api/v1/nodes/${this.#key(operation.id)}`;
    await this.#ask("GET", path);
    if (op === "rename") await this.#ask("POST", path, { name: operation.name });
    else await this.#ask("DELETE", path);
  }

  async #edit(operation: TraceOperation): Promise<void> {
    const outline = this.#outline;
    if (operation.op === "create") {
      const { parent, position } = await this.#placeOf(operation);
      const created = await this.#send(() => outline.create({ parent, position, name: "" }));
      if (created.kind !== "created") throw new Error(created.kind);
      this.#keys.set(operation.id, created.key);
      await this.#type(created.key, operation.name);
      return;
    }
    const key = await this.#here(operation.id);
    if (operation.op === "rename") await this.#type(key, operation.name);
    else if (operation.op === "delete") await this.#send(() => outline.trash(key, 0));
    else {
      const place = await this.#placeOf(operation);
      await this.#send(() => outline.move(key, place));
    }
  }

  async #placeOf({
    parent,
    after,
  }: {
    readonly parent: string | null;
    readonly after: string | null;
  }) {
    const there = parent === null ? ROOT : await this.#here(parent);
    const sibling = after === null ? undefined : await this.#here(after);
    const siblings = this.#outline.childKeys(there);
    // A program puts nodes first or last, so it may be elsewhere.
    const isThere = sibling !== undefined && siblings.includes(sibling);
    return {
      parent: there,
      position: isThere ? { after: sibling } : ("bottom" as const),
    };
  }

  /** Takes out what differs between the ends that stay, and types what is to be there. */
  async #type(key: NodeKey, wanted: string): Promise<void> {
    const text = nodesOf(this.#doc).get(key);
    const pieces = text === undefined ? [] : readRichText(text);
    const name = pieces.map(({ insert }) => insert).join("");
    let start = 0;
    while (start < Math.min(name.length, wanted.length) && name[start] === wanted[start]) start++;
    let end = 0;
    const most = Math.min(name.length, wanted.length) - start;
    while (end < most && name.at(-1 - end) === wanted.at(-1 - end)) end++;
    const gone = name.length - start - end;
    const edit = (work: (text: Y.Text) => void) =>
      this.#send(() => this.#outline.editText(key, "name", work));
    if (gone > 0) await edit((text) => text.delete(start, gone));
    for (let at = start; at < wanted.length - end; at++) {
      await edit((text) => text.insert(at, wanted.charAt(at)));
    }
  }

  /** The key of a node of the history, once this device knows the node. */
  async #here(id: string): Promise<NodeKey> {
    const key = this.#key(id);
    while (this.#outline.tree.rowAt(key) === undefined) {
      await new Promise<void>((resolve) => (this.#arrived = resolve));
    }
    return key;
  }

  #key(id: string): NodeKey {
    const key = this.#keys.get(id);
    if (key === undefined) throw new Error(`the history has no node ${id}`);
    return key;
  }

  async #ask(method: "GET" | "POST" | "DELETE", path: string, fields?: object): Promise<string> {
    const body = fields === undefined ? undefined : JSON.stringify(fields);
    const answer = await this.#connection.request(method, path, body);
    this.steps.push({ kind: "request", method, path, body, answerBytes: answer.length });
    return answer;
  }

  /** Makes a change on the device, and resolves when it is durable. */
  async #send<T>(change: () => T): Promise<T> {
    const result = change();
    const made = this.#made;
    this.#made = [];
    for (const update of made) {
      const client = this.#doc.clientID;
      const clock = Y.parseUpdateMeta(update).to.get(client);
      const end = clock === undefined ? undefined : { client, clock };
      const step: Step = { kind: "update", update, end };
      this.steps.push(step);
      await this.#connection.send(step);
    }
    return result;
  }
}
