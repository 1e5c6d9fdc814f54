import type * as Y from "yjs";
import type * as Additions from "./addition.ts";
import type { Destination, Spot, Unmade } from "../tree/destinations.ts";
import { MAX_MIRRORS } from "../tree/mirror-rows.ts";
import type { NodeKey } from "../node-key.ts";
import type { NodePatch } from "../node/node-patch.ts";
import type { ContentEdit } from "../node/node-writer.ts";
import type { OutlineFull } from "./outline-full.ts";
import type { OutlineRoom } from "./outline-room.ts";
import type { TreeIndex } from "../tree/tree-index.ts";

/**
 * What may still be written to an outline: so many mirrors, and what there is room for. Devices are held
 * to no room.
 */
export class OutlineQuota {
  readonly #tree: TreeIndex;
  readonly #room: OutlineRoom | undefined;

  constructor(tree: TreeIndex, room?: OutlineRoom) {
    this.#tree = tree;
    this.#room = room;
  }

  /** Of memory that the outline takes; 0 for one that is held to nothing. */
  get bytes(): number {
    return this.#room?.bytes ?? 0;
  }

  /** Whether it has nearly as much as it may, or more. */
  get isTight(): boolean {
    return this.#room?.isTight ?? false;
  }

  /** Does `work`, in slices, which reads the whole document: that makes it smaller in memory. */
  *reading<T>(work: Generator<void, T>): Generator<void, T> {
    return this.#room === undefined ? yield* work : yield* this.#room.reading(work);
  }

  /**
   * Takes room for what is about to be written: see `OutlineRoom`. The operations do so themselves,
   * but for `createPlain`. @param parents of what is new; reserved nodes are made when they are not there
   */
  take(addition: Additions.Addition, ...parents: readonly NodeKey[]): OutlineFull | undefined {
    return this.#fullOfMirrors(addition.mirrors ?? 0) ?? this.#room?.take(addition, parents);
  }

  /** Takes room for what goes to a destination, and for the reserved nodes that have to be made. */
  takeFor(
    { parent }: Destination,
    found: Spot | Unmade,
    additionIn: (additions: typeof Additions) => Additions.Addition,
  ): OutlineFull | undefined {
    const room = this.#room;
    if (room === undefined) return undefined;
    const added = additionIn(room.additions);
    if (found.kind === "spot") return this.take(added);
    const { sumOf, ADDED_CHAIN } = room.additions;
    return this.take(sumOf(added, ADDED_CHAIN), parent);
  }

  /** The same for a mirror. */
  takeMirror(to: Destination, found: Spot | Unmade): OutlineFull | undefined {
    return this.#fullOfMirrors(1) ?? this.takeFor(to, found, ({ ADDED_MIRROR }) => ADDED_MIRROR);
  }

  /** The same for an edit of a text. */
  takeForEdit(text: Y.Text, edit: ContentEdit, patch: NodePatch): OutlineFull | undefined {
    return this.#room?.takeForEdit(text, edit, patch);
  }

  /** The same for what adds no text. */
  takeUpkeep(): OutlineFull | undefined {
    return this.#room?.takeUpkeep();
  }

  /**
   * Does several operations, in slices, for all of which room was taken: none of them takes any, so that
   * none is refused for it. Nobody else may write meanwhile.
   */
  *inTaken<T>(work: Generator<void, T>): Generator<void, T> {
    return this.#room === undefined ? yield* work : yield* this.#room.inTaken(work);
  }

  detach(): void {
    this.#room?.detach();
  }

  #fullOfMirrors(adds: number): OutlineFull | undefined {
    const has = this.#tree.mirrors.size;
    if (adds === 0 || has + adds <= MAX_MIRRORS) return undefined;
    return { kind: "outline_full", quota: "mirrors", has, adds, limit: MAX_MIRRORS };
  }
}
