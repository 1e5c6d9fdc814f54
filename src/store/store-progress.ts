/** How far a backup, a restore or a check of the whole store is. */
export interface StoreProgress {
  /** Outlines that are done. */
  readonly outlines: number;
  readonly of: number;
}
