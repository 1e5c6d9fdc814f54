import type { Payer } from "../../charges/payer.ts";
import type { Turn, Turns } from "../turns/turns.ts";
import { BusyError } from "../log/unavailable-error.ts";

const KINDS = [
  "load",
  "read",
  "update",
  "write",
  "bulk",
  "repair",
  "difference",
  "snapshot",
  "purge",
] as const;

/** What is done with an outline in turns. */
export type OutlineWork = (typeof KINDS)[number];

/** An outline's part in the turns, by what is done in it: one part, whatever that is. */
export type OutlineTurns = Readonly<Record<OutlineWork, Turn>>;

export function outlineTurns(turns: Turns, payer: Payer): OutlineTurns {
  const entries = KINDS.map((kind) => [kind, turns.join(payer, kind)] as const);
  return Object.fromEntries(entries) as Record<OutlineWork, Turn>;
}

/** @throws BusyError while work of one of the kinds is refused, because the last such took too long */
export function requireTurns(turns: OutlineTurns, ...kinds: readonly OutlineWork[]): void {
  for (const kind of kinds) {
    const { refusedMs } = turns[kind];
    if (refusedMs > 0) throw new BusyError(refusedMs);
  }
}
