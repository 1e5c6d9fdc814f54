import type { Source } from "../state/source.ts";

/** Something to say at the edge of the screen, for a while. */
export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: "plain" | "warning";
  readonly action: NoticeAction | undefined;
}

/** What a person can do about a notice. */
export interface NoticeAction {
  readonly label: string;
  /** The step of the history that it takes back: with that step the notice goes, whoever undoes it. */
  readonly of?: object | undefined;
  run(): void;
}

export interface Notices {
  readonly shown: Source<readonly Notice[]>;
  /** Shows a notice for a while, and tells it to screen readers. */
  show(text: string, action?: NoticeAction): void;
  /** The same of what went wrong: it stays until it is dismissed. */
  warn(text: string, action?: NoticeAction): void;
  dismiss(id: number): void;
  /** Tells it to screen readers only: "Moved below Groceries". */
  announce(text: string): void;
}
