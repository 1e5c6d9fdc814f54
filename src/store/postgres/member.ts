/** What a process has when it serves: its number, and the history that it works on. */
export interface Member {
  readonly id: number;
  readonly epoch: string;
  readonly epochOrdinal: number;
  readonly name: string;
  /** By which the processes know each other. */
  readonly secret: string;
}
