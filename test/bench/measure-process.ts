/**
 * A process that measures one group at one size and ends: so heaps are clean, what one group compiled
 * does not speed up the next, and a million nodes have room.
 */
import { BENCH_GROUPS } from "./bench-groups.ts";
import type { Figure } from "./bench-group.ts";

export interface MeasureTask {
  readonly group: string;
  readonly nodes: number;
}

export type MeasureAnswer = Readonly<Record<string, Figure>>;

process.once("message", (task: MeasureTask) => void answer(task));

async function answer({ group, nodes }: MeasureTask): Promise<void> {
  const found = BENCH_GROUPS.find(({ name }) => name === group);
  if (found === undefined) throw new Error(`there is no group ${group}`);
  const figures: MeasureAnswer = await found.measure(nodes);
  // What it has begun for all its parts, as a database, ends with it.
  process.send?.(figures, () => process.exit());
}
