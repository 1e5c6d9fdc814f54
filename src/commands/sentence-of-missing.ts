import type { Missing } from "../core/yjs/stored-clocks.ts";
import { counted } from "./counted.ts";

/** What has not come back since a backup was put back or the store was repaired, for people. */
export function sentenceOfMissing(missing: Missing): string {
  return `${countOf(missing)} that were there before a backup was put back, or the store was repaired, have not come back`;
}

/** Characters and values, and whose they are. */
export function countOf({ clocks, clients }: Missing): string {
  return `${counted(clocks, "character or value", "characters and values")} of ${counted(clients, "client id")}`;
}
