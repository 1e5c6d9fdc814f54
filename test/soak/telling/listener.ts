import type { ServerProcess } from "../../e2e/server-process.ts";

/** The key of whoever writes and listens. */
export const KEY = "ok_who_listens_is_told_with_this";

/** Whoever is told of changes, by one server after the other on the same folder. */
export interface Listener {
  /** Messages that have come, also those that were lost. */
  readonly arrived: number;
  /** The ids of all that was told, in the order in which it was told first. */
  readonly told: ReadonlySet<string>;
  /** Listens to a server that has just started. */
  attend(server: ServerProcess): Promise<void>;
  /** Loses what comes from now on, until there is another server. */
  deafen(): void;
  close(): void;
}
