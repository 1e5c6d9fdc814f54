import { deepEqual, ok } from "node:assert/strict";
import { eventually } from "./eventually.ts";

/** A row as a person sees it and a screen reader hears it. */
export interface SeenRow {
  readonly key: string;
  readonly level: number;
  readonly name: string;
  readonly note: string | undefined;
  /** Undefined without children. */
  readonly isExpanded: boolean | undefined;
  readonly isCompleted: boolean;
  readonly isSelected: boolean;
}

export interface SeenStatus {
  readonly state: string;
  readonly words: string;
}

export interface SeenCaret {
  readonly key: string;
  readonly part: string;
  readonly at: number;
}

/** What a page of the app shows, read from its elements. */
export abstract class OutlineView {
  /** Runs a function, which refers to nothing outside of itself, in the page. */
  protected abstract inPage<T>(run: () => T): Promise<T>;

  /** The rows that are in the page, from top to bottom. */
  async rows(): Promise<readonly SeenRow[]> {
    return this.inPage(() => {
      const textOf = (element: Element | null): string | undefined =>
        element?.textContent.replaceAll(/[\u200B\uFEFF]/g, "");
      return [...document.querySelectorAll<HTMLElement>("[role=treeitem]")]
        .map((row) => ({ row, top: row.getBoundingClientRect().top }))
        .toSorted((a, b) => a.top - b.top)
        .map(({ row }) => {
          const expanded = row.getAttribute("aria-expanded");
          return {
            key: row.dataset["key"] ?? "",
            level: Number(row.getAttribute("aria-level")),
            name: textOf(row.querySelector("[data-part=name]")) ?? "",
            note: textOf(row.querySelector("[data-part=note]")),
            isExpanded: expanded === null ? undefined : expanded === "true",
            isCompleted: row.dataset["completed"] === "true",
            isSelected: row.getAttribute("aria-selected") === "true",
          };
        });
    });
  }

  /** The rows as an outline of indented names: `["one", "  below one"]`. */
  async sketch(): Promise<readonly string[]> {
    const rows = await this.rows();
    return rows.map(({ level, name }) => `${"  ".repeat(level - 1)}${name}`);
  }

  /** Waits until the rows are these. */
  async shows(sketch: readonly string[]): Promise<void> {
    await eventually(
      () => this.sketch(),
      (seen) => deepEqual(seen, sketch),
    );
  }

  /** Waits until a row has this name: right behind a scroll the page may not have drawn it. */
  async keyOf(name: string): Promise<string> {
    return eventually(
      () => this.rows(),
      (rows) => {
        const row = rows.find((each) => each.name === name);
        ok(row !== undefined, `no row is named ${name}`);
        return row.key;
      },
    );
  }

  async status(): Promise<SeenStatus> {
    return this.inPage(() => {
      const status = document.querySelector<HTMLElement>("[data-part=status]");
      return { state: status?.dataset["state"] ?? "", words: status?.textContent.trim() ?? "" };
    });
  }

  /**
   * How many databases there are. Undefined when the browser does not say: Chromium has been seen to hold
   * the question back for 30 s when it is asked while databases are cleared.
   */
  async databases(): Promise<number | undefined> {
    return this.inPage(async () => {
      const asked = indexedDB.databases().then(({ length }) => length);
      return Promise.race([asked, new Promise<undefined>((resolve) => setTimeout(resolve, 500))]);
    });
  }

  /** Waits until the status is one of these. */
  async reaches(...states: readonly string[]): Promise<void> {
    await eventually(
      () => this.status(),
      ({ state, words }) => ok(states.includes(state), `the status is ${state}: ${words}`),
    );
  }

  /** Notes every state that the status shows from now on; {@link statesSeen} answers them. */
  async watchStates(): Promise<void> {
    await this.inPage(() => {
      const status = document.querySelector<HTMLElement>("[data-part=status]");
      if (status === null) throw new Error("the page shows no status");
      const seen = [status.dataset["state"] ?? ""];
      const note = (): void => {
        const state = status.dataset["state"] ?? "";
        if (seen.at(-1) !== state) seen.push(state);
        document.documentElement.dataset["statesSeen"] = seen.join(" ");
      };
      note();
      new MutationObserver(note).observe(status, { attributeFilter: ["data-state"] });
    });
  }

  async statesSeen(): Promise<readonly string[]> {
    const seen = await this.inPage(() => document.documentElement.dataset["statesSeen"]);
    return (seen ?? "").split(" ");
  }

  async caret(): Promise<SeenCaret | undefined> {
    return this.inPage(() => {
      const selection = getSelection();
      const place = selection?.focusNode;
      const part =
        place instanceof Element ? place : (place?.parentElement ?? document.activeElement);
      const text = part?.closest<HTMLElement>("[data-part=name], [data-part=note]");
      if (!selection || !place || !text) return undefined;
      const before = document.createRange();
      before.setStart(text, 0);
      before.setEnd(place, selection.focusOffset);
      return {
        key: text.closest<HTMLElement>("[role=treeitem]")?.dataset["key"] ?? "",
        part: text.dataset["part"] ?? "",
        at: before.toString().replaceAll(/[\u200B\uFEFF]/g, "").length,
      };
    });
  }
}
