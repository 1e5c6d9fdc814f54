import { linkTextOfNode } from "../../../src/core/link-names.ts";
import { isNodeKey, type NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { LinkIndex } from "../../../src/core/search/link-index.ts";
import type { DeviceRecords } from "../../lib/device-records.ts";
import type { Replica } from "../../lib/replica.ts";
import type { Focus } from "../outline/focus/focus.ts";
import { keyOf } from "../outline/rows/row-id.ts";
import { followOutline } from "./follow-outline.ts";
import { inSlices } from "./in-slices.ts";

const RECORD = "renamed-lines";
/** Of one line that is being renamed: those before are forgotten. */
const MOST_NAMES = 200;

export interface FollowedNamesPorts {
  readonly replica: Replica;
  readonly focus: Focus;
  readonly records: DeviceRecords;
}

/**
 * Lets links follow the names of lines that are renamed here, once the caret has left the line: each
 * letter on the way would be written into every link. What is still to follow outlives the page. Who
 * renames a line brings its links along; nobody else does it for them.
 */
export class FollowedNames {
  readonly #ports: FollowedNamesPorts;
  /** Link texts of lines that others link to, as they were seen last. */
  readonly #names = new Map<NodeKey, string>();
  /** Of lines that were renamed here: the link texts that they had before. */
  readonly #renamed = new Map<NodeKey, Set<string>>();
  readonly #stops: readonly (() => void)[];
  #isLocal = false;

  constructor(ports: FollowedNamesPorts) {
    this.#ports = ports;
    this.#stops = [
      followOutline(ports.replica, (outline) => this.#follow(outline)),
      ports.focus.state.subscribe(() => this.settle()),
    ];
    void this.#load();
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  /** Brings along the links of all lines but the one that is being written. */
  settle(): void {
    if (this.#renamed.size === 0 || !this.#links.isBuilt) return;
    const { replica, focus } = this.#ports;
    const state = focus.state.get();
    const size = this.#renamed.size;
    for (const [key, earlier] of this.#renamed) {
      if (state?.kind === "text" && replica.outline.heldBy(keyOf(state.id)) === key) continue;
      // A name that is to come will be followed then.
      if (replica.outline.has(key) && linkTextOfNode(replica.outline, key) === "") continue;
      this.#renamed.delete(key);
      replica.edits.followName(key, earlier, [...this.#links.sourcesOf(key)]);
    }
    // A page that ends before the links are stored lets them follow at the next start, once more.
    if (this.#renamed.size !== size)
      void replica.stored().then(
        () => this.#keep(),
        () => {},
      );
  }

  get #links(): LinkIndex {
    return LinkIndex.of(this.#ports.replica.outline);
  }

  #follow(outline: Outline): () => void {
    this.#names.clear();
    const links = LinkIndex.of(outline);
    const note = ({ local }: { readonly local: boolean }): void => {
      this.#isLocal = local;
    };
    outline.doc.on("beforeTransaction", note);
    const stops = [
      inSlices(links.build()),
      // Before the names: a line that is linked to for the first time has one to follow from then on.
      links.onChange(({ targets }) => {
        for (const key of targets) this.#names.set(key, linkTextOfNode(outline, key));
        this.settle();
      }),
      outline.onChange(({ nodes }) => {
        for (const key of nodes) if (links.isLinked(key)) this.#look(key);
      }),
      () => outline.doc.off("beforeTransaction", note),
    ];
    return () => stops.forEach((stop) => stop());
  }

  #look(key: NodeKey): void {
    const { outline } = this.#ports.replica;
    const before = this.#names.get(key);
    const now = linkTextOfNode(outline, key);
    if (!outline.has(key) || before === now) return;
    this.#names.set(key, now);
    if (before === undefined || before === "") return;
    const earlier = this.#renamed.get(key) ?? new Set();
    // What others write meanwhile is on the way from the old name to the new one as well.
    if (!this.#isLocal && earlier.size === 0) return;
    const isFirst = earlier.size === 0;
    if (earlier.size < MOST_NAMES) this.#renamed.set(key, earlier.add(before));
    if (isFirst) this.#keep();
  }

  #keep(): void {
    this.#ports.records.write(
      RECORD,
      [...this.#renamed].map(([key, names]) => [key, [...names]]),
    );
  }

  async #load(): Promise<void> {
    const stored: unknown = await this.#ports.records.read(RECORD);
    if (!Array.isArray(stored)) return;
    for (const entry of stored as unknown[]) {
      if (!Array.isArray(entry)) continue;
      const [key, names] = entry as unknown[];
      if (typeof key !== "string" || !isNodeKey(key) || !Array.isArray(names)) continue;
      const earlier = this.#renamed.get(key) ?? new Set();
      for (const name of names as unknown[]) if (typeof name === "string") earlier.add(name);
      this.#renamed.set(key, earlier);
    }
    this.settle();
  }
}
