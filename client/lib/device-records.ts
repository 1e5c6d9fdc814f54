/** Small JSON values that belong to this device and are never sent: folds, zoom, preferences. */
export interface DeviceRecords {
  /** The stored value, or undefined; never throws. What it holds is to be checked by the reader. */
  read(name: string): Promise<unknown>;
  /** Stored soon; a newer value of the same name takes the place of one that waits. Never throws. */
  write(name: string, value: unknown): void;
}
