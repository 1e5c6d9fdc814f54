import type { Cluster } from "../../e2e/cluster.ts";

/** What is done to several processes on a database, and must lose nothing. */
export interface ClusterFault {
  readonly name: string;
  /** The broken variants of it that must be found out, by name. */
  readonly controls?: Readonly<Record<string, string>>;
  /** Why it can't be done on this machine, in words. */
  readonly obstacle?: () => string | undefined;
  /** Undefined for one that is done with a database of its own. */
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
