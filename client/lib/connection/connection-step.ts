import type { Random } from "../../../src/core/node-key.ts";
import { OLDEST_VERSION, PROTOCOL_VERSION } from "../../../src/protocol/message.ts";
import type { Disconnection } from "../status.ts";
import { closeCause } from "./close-cause.ts";
import {
  ANSWER_DUE_MS,
  deadAt,
  dueAt,
  type ConnectionEffect,
  type ConnectionEvent,
  type ConnectionState,
} from "./connection-state.ts";
import { retryDelay } from "./retry-delay.ts";

/** What the machine can't know by itself. */
export interface Conditions {
  /** Milliseconds of a clock that nobody sets. */
  readonly now: number;
  readonly random: Random;
}

export interface Step {
  readonly state: ConnectionState;
  /** To be done in this order. */
  readonly effects: readonly ConnectionEffect[];
}

type Kind = ConnectionState["kind"];
type EventKind = ConnectionEvent["kind"];
type Transition<S extends Kind, E extends EventKind> = (
  state: Extract<ConnectionState, { kind: S }>,
  event: Extract<ConnectionEvent, { kind: E }>,
  conditions: Conditions,
) => Step;
/** What each event does in one state: all of them are said, so none can be forgotten. */
type Row<S extends Kind> = { readonly [E in EventKind]: Transition<S, E> };

const OPEN_MS = 10_000;
const WELCOME_MS = 10_000;
/** A part of 150 KB, which is a long one, at 5 KB/s. */
const NEXT_PART_MS = 30_000;
const SESSION_MS = 5_000;
/** A server that lets a connection live so long and then sends the client away is not too busy for it. */
const SERVED_AFTER_MS = 20_000;
/** The longest that a server may tell a client to stay away. */
const LONGEST_PAUSE_MS = 60_000;

function to(state: ConnectionState, ...effects: ConnectionEffect[]): Step {
  return { state, effects };
}

const stay = (state: ConnectionState): Step => to(state);
const leave = (): Step => to({ kind: "off" });
const hangUp = (): Step => to({ kind: "off" }, "close");
const dial = (attempt: number, { now }: Conditions, ...before: ConnectionEffect[]): Step =>
  to({ kind: "connecting", attempt, until: now + OPEN_MS }, ...before, "open");

function retry(
  failed: number,
  { now, random }: Conditions,
  cause: Disconnection,
  effects: readonly ConnectionEffect[] = [],
  pauseMs = 0,
): Step {
  const until = now + Math.max(retryDelay(failed, random), Math.min(pauseMs, LONGEST_PAUSE_MS));
  return to({ kind: "waiting", attempt: failed + 1, until, cause }, ...effects);
}

/** The socket was open and has closed. */
function ended(attempt: number, code: number, conditions: Conditions): Step {
  const { isFinal, cause } = closeCause(code);
  return isFinal ? to({ kind: "stopped", cause }) : retry(attempt, conditions, cause);
}

function ask(attempt: number, { now }: Conditions, ...before: ConnectionEffect[]): Step {
  return to({ kind: "asking", attempt, until: now + SESSION_MS }, ...before, "ask_session");
}

/** Nothing but a wish to connect matters. */
const RESTING = {
  disconnect: leave,
  online: stay,
  opened: stay,
  closed: stay,
  welcomed: stay,
  caught_up: stay,
  heard: stay,
  garbled: stay,
  unavailable: stay,
  awaited: stay,
  session: stay,
  time: stay,
} as const;

const OFF: Row<"off"> = {
  ...RESTING,
  connect: (_state, _event, conditions) => dial(0, conditions),
  disconnect: stay,
};

const CONNECTING: Row<"connecting"> = {
  ...RESTING,
  connect: stay,
  disconnect: hangUp,
  online: ({ attempt }, _event, conditions) => dial(attempt, conditions, "close"),
  opened: ({ attempt }, _event, { now }) =>
    to({ kind: "greeting", attempt, until: now + WELCOME_MS }),
  closed: ({ attempt }, _event, conditions) => ask(attempt, conditions),
  time: ({ attempt }, _event, conditions) => ask(attempt, conditions, "close"),
};

const GREETING: Row<"greeting"> = {
  ...RESTING,
  connect: stay,
  disconnect: hangUp,
  online: ({ attempt }, _event, conditions) => dial(attempt, conditions, "close"),
  closed: ({ attempt }, { code }, conditions) => ended(attempt, code, conditions),
  welcomed: ({ attempt }, { version, access }, { now }) =>
    version >= OLDEST_VERSION && version <= PROTOCOL_VERSION
      ? to({ kind: "catching_up", attempt, until: now + NEXT_PART_MS, access })
      : to({ kind: "stopped", cause: "outdated" }, "close"),
  garbled: ({ attempt }, _event, conditions) =>
    retry(attempt, conditions, "unreachable", ["close"]),
  unavailable: ({ attempt }, { retryAfterMs }, conditions) =>
    retry(attempt, conditions, "unavailable", ["close"], retryAfterMs),
  time: ({ attempt }, _event, conditions) => retry(attempt, conditions, "unreachable", ["close"]),
};

const CATCHING_UP: Row<"catching_up"> = {
  ...RESTING,
  connect: stay,
  disconnect: hangUp,
  online: ({ attempt }, _event, conditions) => dial(attempt, conditions, "close"),
  closed: ({ attempt }, { code }, conditions) => ended(attempt, code, conditions),
  heard: (state, _event, { now }) => to({ ...state, until: now + NEXT_PART_MS }),
  caught_up: ({ attempt, access }, _event, { now }) =>
    to({ kind: "live", attempt, since: now, access, unanswered: undefined, isSilent: false }),
  garbled: ({ attempt }, _event, conditions) =>
    retry(attempt, conditions, "unreachable", ["close"]),
  unavailable: ({ attempt }, { retryAfterMs }, conditions) =>
    retry(attempt, conditions, "unavailable", ["close"], retryAfterMs),
  time: ({ attempt }, _event, conditions) => retry(attempt, conditions, "unreachable", ["close"]),
};

type Live = Extract<ConnectionState, { kind: "live" }>;

/**
 * How many attempts count as failed when the server sends a live client away. When it is the line that
 * breaks, none do: the connection has worked.
 */
function failedBefore({ attempt, since }: Live, now: number): number {
  return now - since >= SERVED_AFTER_MS ? 0 : attempt;
}

const LIVE: Row<"live"> = {
  ...RESTING,
  disconnect: hangUp,
  connect: (state, _event, conditions) =>
    state.isSilent ? dial(0, conditions, "close") : stay(state),
  // The network was away, so nobody knows whether the connection lives; another one is cheap.
  online: (_state, _event, conditions) => dial(0, conditions, "close"),
  closed: (state, { code }, conditions) => {
    const isLine = closeCause(code).cause === "unreachable";
    return ended(isLine ? 0 : failedBefore(state, conditions.now), code, conditions);
  },
  heard: (state, _event, { now }) =>
    state.unanswered === undefined
      ? stay(state)
      : to({ ...state, unanswered: { ...state.unanswered, since: now }, isSilent: false }),
  garbled: (state, _event, conditions) =>
    retry(failedBefore(state, conditions.now), conditions, "unreachable", ["close"]),
  unavailable: (state, { retryAfterMs }, conditions) =>
    retry(failedBefore(state, conditions.now), conditions, "unavailable", ["close"], retryAfterMs),
  awaited: (state, { bytes }, { now }) => {
    if (bytes === 0) return to({ ...state, unanswered: undefined, isSilent: false });
    return to({ ...state, unanswered: { since: state.unanswered?.since ?? now, bytes } });
  },
  time: (state, _event, conditions) => {
    const { unanswered } = state;
    if (unanswered === undefined) return stay(state);
    if (conditions.now >= deadAt(unanswered)) {
      return retry(0, conditions, "unreachable", ["close"]);
    }
    const isSilent = conditions.now >= unanswered.since + ANSWER_DUE_MS;
    return to({ ...state, isSilent });
  },
};

const ASKING: Row<"asking"> = {
  ...RESTING,
  connect: ({ attempt }, _event, conditions) => dial(attempt, conditions),
  online: ({ attempt }, _event, conditions) => dial(attempt, conditions),
  session: ({ attempt }, { answer }, conditions) =>
    answer === "signed_out"
      ? to({ kind: "stopped", cause: "signed_out" })
      : retry(attempt, conditions, "unreachable"),
  time: ({ attempt }, _event, conditions) => retry(attempt, conditions, "unreachable"),
};

const WAITING: Row<"waiting"> = {
  ...RESTING,
  connect: ({ attempt }, _event, conditions) => dial(attempt, conditions),
  online: ({ attempt }, _event, conditions) => dial(attempt, conditions),
  time: ({ attempt }, _event, conditions) => dial(attempt, conditions),
};

const STOPPED: Row<"stopped"> = {
  ...RESTING,
  connect: (_state, _event, conditions) => dial(0, conditions),
};

const TRANSITIONS: { readonly [S in Kind]: Row<S> } = {
  off: OFF,
  connecting: CONNECTING,
  greeting: GREETING,
  catching_up: CATCHING_UP,
  live: LIVE,
  asking: ASKING,
  waiting: WAITING,
  stopped: STOPPED,
};

/**
 * The connection's next state, and what is to be done for it. Pure and total: every event has its
 * meaning in every state, most often that nothing changes. `time` before `dueAt` changes nothing.
 */
export function step(state: ConnectionState, event: ConnectionEvent, conditions: Conditions): Step {
  if (event.kind === "time" && conditions.now < (dueAt(state) ?? Infinity)) return stay(state);
  // The row is the one of the state's kind, and its entry the one of the event's, which the compiler
  // can't see for a union of both.
  const row = TRANSITIONS[state.kind] as Row<Kind>;
  const transition = row[event.kind] as Transition<Kind, EventKind>;
  return transition(state, event, conditions);
}
