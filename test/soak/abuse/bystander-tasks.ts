export interface Place {
  /** As in `http://host:port`. */
  readonly url: string;
  /** Of a user whom nobody attacks. */
  readonly key: string;
}

/**
 * How people work: `steady` is one who asks for something all the time, as a measure; `human` is how
 * people do, who also move things, list them, and lose their connection now and then.
 */
export type Pace = "steady" | "human";

export interface People {
  readonly people: readonly Place[];
  /** One more, who only reads. */
  readonly reader: Place;
  readonly serverPid: number;
  readonly pace: Pace;
}

/** What people waited for since the last time that it was asked. */
export interface Waits {
  readonly count: number;
  /** By the wall clock, without the time in which people themselves could not run. */
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly worstMs: number;
  /**
   * The longest wait for something that is read by the time that the server's thread worked meanwhile, in units of work of this
   * machine: neither what others use of it is in it, nor that people themselves could not run.
   */
  readonly worstUnits: number;
  /** What did not go as it should, in words. */
  readonly failures: readonly string[];
}

export type BystanderTasks = {
  /** Begins to read, write and type. */
  readonly begin: readonly [People, undefined];
  readonly look: readonly [undefined, Waits];
  /** Stops, waits for what is under way, and reads back what was acknowledged. */
  readonly end: readonly [undefined, Waits];
};
