import type { Counts, Site } from "./abuse.ts";

interface Order {
  /** Of the abuse. */
  readonly name: string;
  readonly site: Site;
  readonly amount: number;
}

export type AttackerTasks = {
  readonly prepare: readonly [Order, undefined];
  readonly attack: readonly [Order, Counts];
};
