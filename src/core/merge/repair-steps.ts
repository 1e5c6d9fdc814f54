import type { LostKinds } from "./lost-writes.ts";

/** What repair does to a node. */
export type RepairKind =
  | "laterMove"
  | "laterWrite"
  | "remade"
  | "deletedAgain"
  | "sameEdit"
  | "sameSplit"
  | "mended"
  | "unmirrored"
  | "writtenDown"
  | "voided"
  | "rescued"
  | "returned"
  | "kept"
  | "rebalanced"
  | "clamped"
  | "stamped";

/** How many nodes have been repaired in which way. */
export type RepairCounts = Record<RepairKind, number>;

/** The parts of repair; tests leave one out to show that it is needed. */
export interface RepairSteps extends LostKinds {
  readonly rescue: boolean;
  readonly voidDeletions: boolean;
  readonly writeDown: boolean;
  readonly laterMoves: boolean;
  readonly returns: boolean;
  readonly keepText: boolean;
  readonly recordArrivals: boolean;
  readonly clampTimes: boolean;
  readonly doneTwice: boolean;
  readonly mendWords: boolean;
  readonly unmirror: boolean;
}

export const ALL_REPAIR_STEPS: RepairSteps = {
  rescue: true,
  voidDeletions: true,
  writeDown: true,
  laterMoves: true,
  laterWrites: true,
  deletions: true,
  returns: true,
  keepText: true,
  recordArrivals: true,
  clampTimes: true,
  doneTwice: true,
  mendWords: true,
  unmirror: true,
};

export function noRepairs(): RepairCounts {
  return {
    laterMove: 0,
    laterWrite: 0,
    remade: 0,
    deletedAgain: 0,
    sameEdit: 0,
    sameSplit: 0,
    mended: 0,
    unmirrored: 0,
    writtenDown: 0,
    voided: 0,
    rescued: 0,
    returned: 0,
    kept: 0,
    rebalanced: 0,
    clamped: 0,
    stamped: 0,
  };
}
