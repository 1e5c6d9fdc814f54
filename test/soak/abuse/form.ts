/** What is allowed, and how long things may take. */
export interface Form {
  /** Times by the wall clock are judged: on a machine that does nothing else. */
  readonly isLong: boolean;
  /** How long people are watched before and after an attack. */
  readonly besideMs: number;
  /** How long they are watched at least from when an attack begins: of few requests the p99 is the worst. */
  readonly watchedMs: number;
  /** An attack that is not over by then has stopped the server. */
  readonly attackMs: number;
  /** How long the memory may take to be back. */
  readonly memoryMs: number;
  /** What people may wait by the wall clock; of the long form only. */
  readonly p99Ms: number;
  /** What the process may have at the very most: its heap, and as much besides. */
  readonly residentMib: number;
  /** What the allocator may keep for what comes next when all that was held has been let go. */
  readonly keptMib: number;
}

export const LONG_FORM: Form = {
  isLong: true,
  besideMs: 4_000,
  watchedMs: 6_000,
  attackMs: 150_000,
  memoryMs: 60_000,
  p99Ms: 100,
  residentMib: 1_024,
  keptMib: 320,
};

export const SHORT_FORM: Form = {
  ...LONG_FORM,
  isLong: false,
  besideMs: 200,
  watchedMs: 0,
  attackMs: 100_000,
  memoryMs: 10_000,
};
