import type { Principal } from "../../src/accounts/principal.ts";
import type { NodeKey, OutlineId } from "../../src/core/node-key.ts";
import type { Documents } from "../../src/documents/documents.ts";
import { tellingPieces } from "../../src/http/changes/changes-json.ts";
import { toldChanges, type ToldChanges } from "../../src/http/changes/told-changes.ts";
import type { Problem } from "../../src/http/problem.ts";
import type { Service } from "../../src/http/service.ts";
import { ScopedOutline } from "../../src/http/scoped-outline.ts";

/** How a reader takes in what it is told; `removals first` is what it must not do. */
export type Order = "as told" | "removals first";

const SHORT_ID_LENGTH = 12;

interface Shown {
  readonly id: string;
  readonly parent_id: string | null;
}

/** What a reader needs from the service. */
export interface Told {
  readonly documents: Documents;
  readonly now: () => number;
}

/** Keeps a copy of an outline, or of a part of it, by its changes alone. */
export class Reader {
  readonly #principal: Principal;
  readonly #root: string | undefined;
  readonly #order: Order;
  #cursor: string | undefined;
  readonly #copy = new Map<string, Shown>();
  /** The children of each node and of the top level, as far as their order is known. */
  readonly #lists = new Map<string | null, readonly string[]>();
  /** Every id that it was ever told. */
  readonly told = new Set<string>();

  /** @param key what its API key is limited to @param root what it asks for */
  constructor(outline: OutlineId, order: Order, key?: NodeKey, root?: NodeKey) {
    this.#principal = principalOf(outline, key);
    this.#root = root;
    this.#order = order;
  }

  /** What it has, with the order of siblings. */
  get lines(): readonly string[] {
    const lists = new Map<string | null, readonly string[]>();
    for (const [parent, ids] of this.#childrenOf()) {
      const known = new Set(this.#lists.get(parent)?.filter((id) => ids.has(id)));
      lists.set(parent, [...known, ...[...ids].filter((id) => !known.has(id))]);
    }
    return linesOf([...this.#copy.values()], lists);
  }

  /** Takes a cursor, and then an export. */
  async begin(service: Told): Promise<void> {
    const told = await this.#ask(service, 1);
    if (told.kind === "problem") throw new Error(told.message);
    this.#cursor = told.cursor;
    for (const node of (await this.#export(service)) ?? []) this.#copy.set(node.id, node);
    for (const [parent, ids] of this.#childrenOf()) this.#lists.set(parent, [...ids]);
  }

  /** Takes in one page. @returns whether its copy is complete, or there is nothing to follow now */
  async readOn(service: Told, limit: number): Promise<"whole" | "more" | "not there"> {
    const told = await this.#ask(service, limit);
    if (told.kind === "problem") {
      if (told.code !== "not_found") throw new Error(told.message);
      return "not there";
    }
    const { changed, removed, lists } = await this.#shown(service, told);
    this.#cursor = told.cursor;
    const takeIn = (): void => changed.forEach((node) => this.#copy.set(node.id, node));
    if (this.#order === "as told") takeIn();
    this.#remove(removed);
    if (this.#order === "removals first") takeIn();
    for (const { parent_id: parent, ids } of lists) this.#lists.set(parent, ids);
    for (const { id } of changed) this.told.add(id);
    for (const id of [...removed, ...lists.flatMap(({ ids }) => ids)]) this.told.add(id);
    return told.more ? "more" : "whole";
  }

  /** The outline, as an export with its key shows it; undefined when it reaches nothing now. */
  async exported(service: Told): Promise<readonly string[] | undefined> {
    const nodes = await this.#export(service);
    if (nodes === undefined) return undefined;
    const lists = [...this.#childrenOf(nodes)].map(([id, ids]) => [id, [...ids]] as const);
    return linesOf(nodes, new Map(lists));
  }

  /** What is in what, in the order in which it comes. */
  #childrenOf(nodes: Iterable<Shown> = this.#copy.values()): Map<string | null, Set<string>> {
    const children = new Map<string | null, Set<string>>();
    for (const { id, parent_id: parent } of nodes) {
      // What it follows is its top, whatever that is in.
      if (id.slice(-SHORT_ID_LENGTH) === (this.#root ?? this.#principal.root)) continue;
      children.set(parent, (children.get(parent) ?? new Set()).add(id));
    }
    return children;
  }

  async #export({ documents, now }: Told): Promise<readonly Shown[] | undefined> {
    const { outline: id, root } = this.#principal;
    return documents.use(id, (document) =>
      document.read((outline) => {
        const view = new ScopedOutline(outline, root, now);
        const within = view.place(this.#root);
        if (within === undefined) return undefined;
        const nodes = [...view.allInTurn(within)].map((item) =>
          typeof item === "string" ? item : [...item].join(""),
        );
        return nodes.map((json) => JSON.parse(json) as Shown);
      }),
    );
  }

  #ask(service: Told, limit: number): Promise<ToldChanges | Problem> {
    // A step at a time.
    const turns = { takeTurn: oneStep as Service["turns"]["takeTurn"] };
    const following = { root: this.#root, since: this.#cursor, limit, isOrdered: true };
    return toldChanges({ ...service, turns }, this.#principal, following);
  }

  async #shown({ documents, now }: Told, told: ToldChanges) {
    const { outline: id, root } = this.#principal;
    const text = await documents.use(id, (document) =>
      document.read((outline) =>
        [...tellingPieces(new ScopedOutline(outline, root, now), told, "nodes")].join(""),
      ),
    );
    return JSON.parse(`{${text}}`) as {
      readonly changed: readonly Shown[];
      readonly removed: readonly string[];
      readonly lists: readonly {
        readonly parent_id: string | null;
        readonly ids: readonly string[];
      }[];
    };
  }

  /** Downwards, since a copy may have rings until all of it was told. */
  #remove(ids: readonly string[]): void {
    const children = this.#childrenOf();
    const pending = [...ids];
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      if (this.#copy.delete(id)) pending.push(...(children.get(id) ?? []));
    }
  }
}

function linesOf(
  nodes: readonly Shown[],
  lists: ReadonlyMap<string | null, readonly string[]>,
): readonly string[] {
  const lines = nodes.map((node) => JSON.stringify({ ...node, priority: 0 }));
  return [...lines, ...[...lists].map((list) => JSON.stringify(list))].sort();
}

function principalOf(outline: OutlineId, root: NodeKey | undefined): Principal {
  return {
    id: "key",
    user: "user" as Principal["user"],
    outline,
    keyId: "key",
    sessionId: undefined,
    family: "key",
    scope: "read",
    root,
    audience: "all",
    expiresAt: undefined,
    keyExpiresAt: undefined,
    end: undefined,
  };
}

async function oneStep(
  _payer: unknown,
  work: (turn: { readonly isOver: boolean }) => unknown,
): Promise<unknown> {
  return work({ isOver: true });
}
