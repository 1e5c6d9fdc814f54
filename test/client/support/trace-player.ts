import type { PlainOutline, TraceOperation } from "../../property/trace-history.ts";
import type { Device } from "./device.ts";
import { eventually } from "./eventually.ts";

type Create = Extract<TraceOperation, { readonly op: "create" }>;
type Move = Extract<TraceOperation, { readonly op: "move" }>;

/** What the editor would take for markdown, tags or the start of a menu, and a sign that looks like it. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map([
  ["[", "⟦"],
  ["]", "⟧"],
  ["(", "⟮"],
  [")", "⟯"],
  ["<", "‹"],
  [">", "›"],
  ["*", "∗"],
  ["_", "‗"],
  ["`", "ˋ"],
  ["~", "∼"],
  ["#", "♯"],
  ["@", "＠"],
  ["/", "⁄"],
  ["\\", "⧵"],
  ["&", "＆"],
]);

/** A link, of which the words are typed and the address is not. */
const LINK = /\[([^\]]*)\]\([^)]*\)/g;

/** A name of a history as it is typed: its words, with lookalikes for what would be markdown. */
export function typedName(name: string): string {
  const words = name.replaceAll(LINK, "$1");
  return Array.from(words, (character) => LOOKALIKES.get(character) ?? character).join("");
}

/** A person at a device, who does what a history says, with the keys for it. */
export class TracePlayer {
  readonly #device: Device;
  /** The keys of the nodes, by what the history calls them: what one makes others go on with. */
  readonly #keys: Map<string, string>;
  /** What this person has before them. */
  outline: PlainOutline;

  /** @param device looks at the node that stands for the whole outline */
  constructor(device: Device, keys: Map<string, string>, outline: PlainOutline) {
    this.#device = device;
    this.#keys = keys;
    this.outline = outline;
  }

  /** All lines of the device, as it shows them one screen after the other. */
  async lines(): Promise<readonly string[]> {
    return this.#device.page.evaluate(async () => {
      const lines: string[] = [];
      const { scrollHeight } = document.documentElement;
      for (let top = 0; top < scrollHeight; top += innerHeight / 2) {
        window.scrollTo({ top, behavior: "instant" });
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        for (const row of document.querySelectorAll<HTMLElement>("[role=treeitem]")) {
          const name = row.querySelector("[data-part=name]")?.textContent ?? "";
          const level = Number(row.getAttribute("aria-level"));
          lines[Number(row.dataset["index"])] = `${"  ".repeat(level - 1)}${name}`;
        }
      }
      return lines;
    });
  }

  async play(operation: TraceOperation): Promise<void> {
    switch (operation.op) {
      case "create":
        await this.#create(operation);
        break;
      case "rename":
        await this.#rename(operation.id, operation.name);
        break;
      case "move":
        await this.#move(operation);
        break;
      case "delete":
        await this.#focus(operation.id);
        await this.#device.press("Control+Shift+Backspace");
        break;
    }
    this.outline.apply(operation);
  }

  async #create({ id, parent, after, name }: Create): Promise<void> {
    const device = this.#device;
    const before = after ?? parent;
    if (before === null) throw new Error("a first line of all is not made here");
    await this.#focus(before);
    const hasBelow = this.outline.childrenOf(before).length > 0;
    // Enter at the end of an open line makes its first child.
    if (after !== null && hasBelow) await device.press("Control+ArrowUp");
    await device.press("Enter");
    if (after === null && !hasBelow) await device.press("Tab");
    await device.type(typedName(name));
    const made = await this.#caret();
    this.#keys.set(id, made);
    if (after === null || !hasBelow) return;
    await this.#focus(after);
    await device.press("Control+ArrowDown");
  }

  /** Only what differs is typed, as a person would. */
  async #rename(id: string, name: string): Promise<void> {
    const before = Array.from(typedName(this.outline.nameOf(id)));
    const wanted = Array.from(typedName(name));
    let from = 0;
    while (from < before.length && before[from] === wanted[from]) from++;
    let kept = 0;
    const most = Math.min(before.length, wanted.length) - from;
    while (kept < most && before.at(-1 - kept) === wanted.at(-1 - kept)) kept++;
    await this.#focus(id, "Home");
    await this.#times("ArrowRight", from);
    await this.#times("Shift+ArrowRight", before.length - from - kept);
    const typed = wanted.slice(from, wanted.length - kept).join("");
    const removes = before.length > from + kept;
    if (typed !== "") await this.#device.type(typed);
    else if (removes) await this.#device.press("Delete");
  }

  /** Out to what both places are in, along to what leads to the new one, and in. */
  async #move({ id, parent, after }: Move): Promise<void> {
    const wayIn = this.#pathTo(parent);
    const wayOut = this.#pathTo(this.#parentOf(id));
    let common = 0;
    while (common < Math.min(wayIn.length, wayOut.length) && wayIn[common] === wayOut[common]) {
      common++;
    }
    await this.#focus(id);
    for (let level = wayOut.length; level > common; level--) {
      const left = wayOut[level - 1] ?? null;
      await this.#device.press("Shift+Tab");
      this.outline.apply({ op: "move", id, parent: this.#parentOf(left ?? ""), after: left });
    }
    for (const into of wayIn.slice(common)) {
      await this.#moveBehind(id, into);
      await this.#device.press("Tab");
      const last = this.outline.childrenOf(into).at(-1) ?? null;
      this.outline.apply({ op: "move", id, parent: into, after: last });
    }
    await this.#moveBehind(id, after);
  }

  /** Among its siblings. @param after null for the first place */
  async #moveBehind(id: string, after: string | null): Promise<void> {
    const parent = this.#parentOf(id);
    const others = this.outline.childrenOf(parent).filter((each) => each !== id);
    const to = after === null ? 0 : others.indexOf(after) + 1;
    const from = this.outline.childrenOf(parent).indexOf(id);
    await this.#times(`Alt+Shift+Arrow${to < from ? "Up" : "Down"}`, Math.abs(to - from));
    this.outline.apply({ op: "move", id, parent, after });
  }

  /** What a node is in, from the top; itself at the end. */
  #pathTo(id: string | null): readonly string[] {
    const path: string[] = [];
    for (let up = id; up !== null; up = this.#parentOf(up)) path.unshift(up);
    return path;
  }

  #parentOf(id: string): string | null {
    return this.outline.parentOf(id);
  }

  async #times(keys: string, times: number): Promise<void> {
    for (let time = 0; time < times; time++) await this.#device.press(keys);
  }

  async #focus(id: string, place: "Home" | "End" = "End"): Promise<void> {
    const key = this.#keys.get(id);
    if (key === undefined) throw new Error(`nobody has made ${id}`);
    const lines = [...this.outline.ids()];
    await this.#device.page.evaluate(
      (part) => {
        const { scrollHeight } = document.documentElement;
        window.scrollTo({ top: part * scrollHeight - innerHeight / 2, behavior: "instant" });
      },
      lines.indexOf(id) / lines.length,
    );
    await this.#device.focus(key, place);
  }

  /** Which line has the caret. */
  async #caret(): Promise<string> {
    return eventually(
      () => this.#device.caret(),
      (caret) => {
        if (caret === undefined) throw new Error("the caret is nowhere");
        return caret.key;
      },
    );
  }
}
