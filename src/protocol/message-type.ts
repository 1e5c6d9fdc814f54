/** First number of a message; below 100 those of y-websocket. */
export const MESSAGE_TYPE = {
  sync: 0,
  awareness: 1,
  auth: 2,
  queryAwareness: 3,
  hello: 100,
  welcome: 101,
  leaseRequest: 102,
  leaseClaim: 103,
  leaseAnswer: 104,
  sequenced: 105,
  caughtUp: 106,
  acknowledged: 107,
  refused: 108,
  unavailable: 109,
  timeQuestion: 110,
  timeAnswer: 111,
} as const;

/** Second number of a `sync` message. */
export const SYNC_TYPE = { step1: 0, step2: 1, update: 2 } as const;

/** Second number of an `auth` message. */
export const AUTH_TYPE = { permissionDenied: 0 } as const;

/** Second number of a `leaseAnswer` message. */
export const LEASE_ANSWER_TYPE = { kept: 0, granted: 1 } as const;

/** Codes on the wire are the places in these lists: append, never reorder. */
export const STATE_SOURCES = ["seq", "state", "rest"] as const;
export const ACCESSES = ["read", "write"] as const;
