import type { TabGroup } from "./tab-group.ts";
import { isTabMessage, type TabMessage } from "./tab-message.ts";

/**
 * What this tab says to the others and hears from them, in order; either can be made to wait, while
 * the tab reads the store or replaces what is in it.
 */
export class TabLink {
  readonly #tabs: TabGroup;
  readonly #stop: () => void;
  /**
   * Which of the replicas that were in the store one after the other is meant, as the leader named
   * it: edits of an earlier one make no sense in a later one. Undefined until a leader was heard.
   */
  generation: string | undefined;
  #listener: ((message: TabMessage) => void) | undefined;
  #heard: TabMessage[] = [];
  #isHearing = false;
  #unsaid: TabMessage[] | undefined;

  /** Hears from now on, and tells it when there is a listener. */
  constructor(tabs: TabGroup) {
    this.#tabs = tabs;
    this.#stop = tabs.onMessage((message) => {
      if (!isTabMessage(message)) return;
      this.#heard.push(message);
      this.#tell();
    });
  }

  post(message: TabMessage): void {
    if (this.#unsaid === undefined) this.#tabs.post(message);
    else this.#unsaid.push(message);
  }

  /** What is posted from now on waits for `speak`. */
  hush(): void {
    this.#unsaid ??= [];
  }

  /** Posts a message, and then all that waited. */
  speak(first: TabMessage): void {
    const unsaid = this.#unsaid ?? [];
    this.#unsaid = undefined;
    for (const message of [first, ...unsaid]) this.#tabs.post(message);
  }

  /** Tells the listener what was heard and what will be. */
  listen(listener: (message: TabMessage) => void): void {
    this.#listener = listener;
    this.#tell();
  }

  /** What is heard from now on waits until somebody listens again. */
  pause(): void {
    this.#listener = undefined;
  }

  close(): void {
    this.#stop();
    this.#tabs.close();
  }

  #tell(): void {
    if (this.#isHearing) return;
    this.#isHearing = true;
    while (this.#listener !== undefined) {
      const message = this.#heard.shift();
      if (message === undefined) break;
      this.#listener(message);
    }
    this.#isHearing = false;
  }
}
