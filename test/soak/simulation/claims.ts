import type * as Y from "yjs";
import { parseDeletion } from "../../../src/core/node/deletion-mark.ts";
import { isReservedKey, ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { nodesOf, textOf } from "../../../src/core/schema.ts";
import type { TreeRow } from "../../../src/core/tree/tree-row.ts";
import type { DurableOutline } from "./durable-outline.ts";

/** A text that occurs nowhere else, and the node that it was written to. */
interface TypedText {
  readonly text: string;
  readonly key: NodeKey;
}

/** Something that somebody made and that must not be lost once it was promised. */
export interface Claim {
  /** Who made it: a device or a script. */
  readonly maker: object;
  /** The run of the maker's program that made it. */
  readonly run: object;
  readonly nodes: readonly NodeKey[];
  readonly token: TypedText | undefined;
  /** It is durable on the device that made it. */
  isKept: boolean;
  /** The server's answer, or the device's status, has said that it is durable on the server. */
  isSaved: boolean;
}

/** Of the Chinese letters: there are 20,000. */
const FIRST_LETTER = 0x4e00;

/** What was done to an outline, how far it was promised, and what may be gone all the same. */
export class Claims {
  #claims: Claim[] = [];
  readonly #deletedKnowingly = new Set<NodeKey>();
  readonly #deletedForGood = new Set<NodeKey>();
  readonly #withdrawn = new Set<string>();
  readonly #copied = new Set<object>();
  readonly #rewritten = new Set<object>();
  /** Nodes that devices had when a backup was put back, and which of them have not lost it since. */
  readonly #seen = new Map<NodeKey, Set<object>>();
  #isLoose = false;
  #tokens = 0;

  /**
   * A text for somebody to write; it has a character of two units. It begins and ends with one that no
   * other has: where two began alike, a program that puts one before the other would write that
   * character behind the first, and who takes the other back takes it away.
   */
  newToken(): string {
    const own = String.fromCodePoint(FIRST_LETTER + this.#tokens);
    this.#tokens += 1;
    return `${own}😀${own}`;
  }

  make(of: Pick<Claim, "maker" | "run"> & Partial<Pick<Claim, "nodes" | "token">>): Claim {
    const claim: Claim = { nodes: [], token: undefined, ...of, isKept: false, isSaved: false };
    this.#claims.push(claim);
    return claim;
  }

  /** The server says that these are saved: answers those that are not in what it has on its disk. */
  save(which: (claim: Claim) => boolean, durable: DurableOutline): readonly string[] {
    if (this.#isLoose) return [];
    const nodes = nodesOf(durable.doc);
    const missing: string[] = [];
    for (const claim of this.#claims) {
      if (claim.isSaved || !which(claim)) continue;
      claim.isSaved = true;
      for (const key of claim.nodes) if (!this.#isThere(nodes, key)) missing.push(key);
      const { token } = claim;
      const text = token && textOf(nodes, token.key)?.toJSON();
      if (text === undefined || token === undefined || this.#mayBeGone(token, durable)) continue;
      if (!text.includes(token.text)) missing.push(`${token.text} in "${text}"`);
    }
    return missing;
  }

  /** What was typed into a node's name, as far as it was promised. */
  promisedIn(key: NodeKey): ReadonlySet<Claim> {
    return new Set(this.#claims.filter((claim) => claim.isSaved && claim.token?.key === key));
  }

  /**
   * What the API shows as a node's name is saved as well: answers what of it the server does not have
   * on its disk, and what was promised before the question and is not shown.
   */
  shown(
    key: NodeKey,
    name: string,
    promised: ReadonlySet<Claim>,
    durable: DurableOutline,
  ): readonly string[] {
    if (this.#isLoose) return [];
    const isShown = ({ token }: Claim): boolean => token?.key === key && name.includes(token.text);
    const hidden = [...promised].flatMap((claim) =>
      claim.token === undefined || isShown(claim) || this.#mayBeGone(claim.token, durable)
        ? []
        : `"${name}" is without ${claim.token.text}`,
    );
    return [...hidden, ...this.save(isShown, durable)];
  }

  /** These were not promised, or not by anybody who is still there. */
  forget(which: (claim: Claim) => boolean): void {
    for (const claim of this.#claims) {
      if (which(claim) && claim.token !== undefined) this.#withdrawn.add(claim.token.text);
    }
    this.#claims = this.#claims.filter((claim) => !which(claim));
  }

  /**
   * A copy of a maker's store is used. When both write anew what neither has sent, and nobody can know
   * that it is the same, it may be there twice; it must not be lost.
   */
  copied(maker: object): void {
    this.#copied.add(maker);
  }

  /**
   * A maker's edits were written anew, those of several tabs as those of one: a node that one of them
   * put below what another deleted without knowing of it may be hidden with it now.
   */
  rewritten(maker: object): void {
    this.#rewritten.add(maker);
  }

  /**
   * A backup was put back. What was promised since it was made may be gone, and what builds on that
   * too, until everybody has come over: all that can be claimed is that what any device has comes back.
   * @param has by device, what it has in its memory
   */
  restored(has: Iterable<readonly [device: object, doc: Y.Doc]>): void {
    this.#isLoose = true;
    this.#seen.clear();
    for (const [device, doc] of has) {
      const nodes = nodesOf(doc);
      for (const key of nodes.keys()) {
        if (nodes.get(key)?.getAttribute("p") === undefined) continue;
        const devices = this.#seen.get(key as NodeKey) ?? new Set();
        this.#seen.set(key as NodeKey, devices.add(device));
      }
    }
  }

  /** What a device had in its memory may be gone, unless the server has it on its disk. */
  forgotten(device: object, durable: DurableOutline): void {
    if (this.#seen.size === 0) return;
    const nodes = nodesOf(durable.doc);
    for (const [key, devices] of this.#seen) {
      if (!devices.has(device) || this.#isThere(nodes, key)) continue;
      devices.delete(device);
      if (devices.size === 0) this.#seen.delete(key);
    }
  }

  /** How many nodes are to come back after a restore. */
  get awaited(): number {
    return this.#seen.size;
  }

  /** Somebody deletes these in front of the eyes. */
  deleted(keys: Iterable<NodeKey>): void {
    for (const key of keys) this.#deletedKnowingly.add(key);
  }

  /** The API has answered that a node is deleted for good. */
  deletedForGood(key: NodeKey): void {
    if (!isReservedKey(key)) this.#deletedForGood.add(key);
  }

  /** What a maker typed may be taken back. */
  withdraw(maker: object): void {
    for (const claim of this.#claims) {
      if (claim.maker === maker && claim.token !== undefined) this.#withdrawn.add(claim.token.text);
    }
  }

  /** What was promised and is not visible, or what was typed and is not there once. */
  broken(durable: DurableOutline): readonly string[] {
    const { outline } = durable;
    const texts = nodesOf(outline.doc);
    const broken: string[] = [];
    for (const key of this.#seen.keys()) {
      if (this.#isThere(texts, key) || durable.purged.has(key)) continue;
      broken.push(`${key} was on a device when a backup was put back, and is lost`);
    }
    if (this.#isLoose) return broken;
    for (const { maker, nodes, token, isKept, isSaved } of this.#claims) {
      const isPromised = isKept || isSaved;
      for (const key of nodes) {
        const mayBeGone = this.#deletedKnowingly.has(key) || this.#mayBeHidden(maker, texts, key);
        if (isPromised && !mayBeGone && !outline.has(key)) broken.push(`${key} is lost`);
      }
      const text = token && textOf(texts, token.key)?.toJSON();
      if (token === undefined || text === undefined) continue;
      const times = text.split(token.text).length - 1;
      const isOptional = !isPromised || this.#mayBeGone(token, durable);
      if ((times > 1 && !this.#copied.has(maker)) || (times === 0 && !isOptional)) {
        broken.push(`${token.text} is ${times} times in "${text}"`);
      }
    }
    for (const key of this.#deletedForGood) {
      const isTrashed = parseDeletion(outline.tree.rowAt(key)?.deletion)?.kind === "trash";
      if (isTrashed || outline.has(key)) broken.push(`${key} was deleted for good and is back`);
    }
    return broken;
  }

  /** What was typed was taken back, or purged: then an old copy of a device may bring back the node. */
  #mayBeGone({ text, key }: TypedText, { purged }: DurableOutline): boolean {
    return this.#withdrawn.has(text) || purged.has(key);
  }

  #mayBeHidden(maker: object, nodes: Y.Map<Y.Text>, key: NodeKey): boolean {
    return this.#rewritten.has(maker) && this.#isThere(nodes, key);
  }

  #isThere(nodes: Y.Map<Y.Text>, key: NodeKey): boolean {
    return nodes.get(key)?.getAttribute("p") !== undefined || this.#deletedKnowingly.has(key);
  }
}

/** All that is at and below a node, deleted or not. */
export function* keysAtAndBelow(outline: Outline, key: NodeKey): Generator<NodeKey> {
  const top = key === ROOT ? undefined : outline.tree.rowAt(key);
  const pending: TreeRow[] = top === undefined ? [] : [top];
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    yield row.key;
    pending.push(...row.children, ...outline.tree.deletedChildren(row));
  }
}
