import type { Source } from "../state/source.ts";

/** Something to say at the edge of the screen, for a while. */
export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: "plain" | "warning";
  readonly action?: NoticeAction;
}

/** What a person can do about a notice. */
export interface NoticeAction {
  readonly label: string;
  run(): void;
}

export interface Notices {
  readonly shown: Source<readonly Notice[]>;
  /** Shows a notice and tells it to screen readers. */
  show(notice: Omit<Notice, "id">): void;
  dismiss(id: number): void;
  /** Tells it to screen readers only: "Moved below Groceries". */
  announce(text: string): void;
}
