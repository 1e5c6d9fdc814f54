import { Cell } from "../state/source.ts";
import type { Notice, NoticeAction, Notices } from "./notices.ts";

/** How long a notice stays; one that asks for something stays longer, a warning until dismissed. */
const PLAIN_MS = 5000;
const ACTION_MS = 10_000;
/** Whoever writes on after this long has seen it. */
const SEEN_MS = 2000;
const MOST_SHOWN = 3;

interface NoticeTimers {
  setTimeout(callback: () => void, ms: number): unknown;
}

/** The notices of one page, newest last, and what is said to screen readers. */
export class NoticeBoard implements Notices {
  readonly shown = new Cell<readonly Notice[]>([]);
  /** What the live region holds; `count` tells two equal sentences apart. */
  readonly spoken = new Cell<{ readonly text: string; readonly count: number }>({
    text: "",
    count: 0,
  });
  readonly #timers: NoticeTimers;
  readonly #seen = new Set<number>();
  #lastId = 0;

  constructor(timers: NoticeTimers) {
    this.#timers = timers;
  }

  show(text: string, action?: NoticeAction): void {
    const id = this.#add("plain", text, action);
    this.#timers.setTimeout(() => this.#seen.add(id), SEEN_MS);
    const stays = action === undefined ? PLAIN_MS : ACTION_MS;
    this.#timers.setTimeout(() => this.dismiss(id), stays);
  }

  warn(text: string, action?: NoticeAction): void {
    this.#add("warning", text, action);
  }

  /** The person goes on writing: what has been seen is no longer in the way. */
  typed(): void {
    for (const id of this.#seen) this.dismiss(id);
  }

  dismiss(id: number): void {
    this.#seen.delete(id);
    const left = this.shown.get().filter((notice) => notice.id !== id);
    if (left.length < this.shown.get().length) this.shown.set(left);
  }

  announce(text: string): void {
    this.spoken.set({ text, count: this.spoken.get().count + 1 });
  }

  /** What was done a moment ago is old news once something else is done; warnings are not. */
  #add(tone: Notice["tone"], text: string, action: NoticeAction | undefined): number {
    const id = (this.#lastId += 1);
    const others = this.shown.get().filter((each) => each.tone === "warning" && each.text !== text);
    this.shown.set([...others, { id, text, tone, action }].slice(-MOST_SHOWN));
    this.announce(text);
    return id;
  }
}
