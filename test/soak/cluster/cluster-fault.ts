import type { Cluster } from "../../e2e/cluster.ts";
import type { Writers } from "../../e2e/cluster-writers.ts";

/** What is done to several processes on a database, and must lose nothing. */
export interface ClusterFault {
  /** As on the command line. */
  readonly name: string;
  readonly what: string;
  /** How often in the long form, where that is not ten times. */
  readonly times?: number;
  /** The broken variants of it that must be found out, by name. */
  readonly controls?: Readonly<Record<string, string>>;
  /** Why it can't be done on this machine, in words. */
  readonly obstacle?: () => string | undefined;
  /** Where the database needs more than a place of its own. */
  readonly makeCluster?: () => Promise<Cluster>;
  /** Uses a cluster in which no process runs. @returns what did not hold, in words */
  run(task: ClusterTask): Promise<readonly string[]>;
}

export interface ClusterTask {
  readonly cluster: Cluster;
  readonly control: string | undefined;
  /** Notes something that was counted or measured; the unit is part of the name. */
  readonly figure: (name: string, value: number) => void;
}

/** What is said of lines that were acknowledged and are not there. */
export function lossIn(what: string, missing: readonly string[]): readonly string[] {
  return missing.length === 0 ? [] : [`${what}: ${missing.length} acknowledged lines`];
}

/** What programs have met that wrote and read, which must have stopped; and what was lost. */
export async function harmTo(cluster: Cluster, writers: Writers): Promise<readonly string[]> {
  return [
    ...lossIn("read without", writers.stale),
    ...lossIn("lost", await cluster.lossOf(writers.acknowledged)),
    ...(writers.reads > 0 ? [] : ["nobody has read"]),
  ];
}
