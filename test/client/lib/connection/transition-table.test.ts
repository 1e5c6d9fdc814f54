import { expect, test } from "vitest";
import type {
  ConnectionEffect,
  ConnectionEvent,
  ConnectionState,
} from "../../../../client/lib/connection/connection-state.ts";
import { step } from "../../../../client/lib/connection/connection-step.ts";

type StateKind = ConnectionState["kind"];
type Outcome = readonly [next: StateKind, ...effects: ConnectionEffect[]];
/** Every event by its kind, and those that mean different things by what they say. */
type EventName =
  | Exclude<ConnectionEvent["kind"], "closed" | "session" | "welcomed">
  | "closed 1006"
  | "closed 4401"
  | "welcomed 1"
  | "welcomed 2"
  | "welcomed 3"
  | "welcomed 4"
  | "session signed_in"
  | "session signed_out"
  | "session unknown";

const NOW = 100_000;

/** All of them are due, so that time means something in each that can be. */
const STATES: { readonly [Kind in StateKind]: Extract<ConnectionState, { kind: Kind }> } = {
  off: { kind: "off" },
  connecting: { kind: "connecting", attempt: 2, until: NOW },
  greeting: { kind: "greeting", attempt: 2, until: NOW },
  catching_up: { kind: "catching_up", attempt: 2, until: NOW, access: "write" },
  live: {
    kind: "live",
    attempt: 2,
    since: 0,
    access: "write",
    unanswered: { since: 0, bytes: 1 },
    isSilent: true,
  },
  asking: { kind: "asking", attempt: 2, until: NOW },
  waiting: { kind: "waiting", attempt: 2, until: NOW, cause: "unreachable" },
  stopped: { kind: "stopped", cause: "signed_out" },
};

const EVENTS: { readonly [Name in EventName]: ConnectionEvent } = {
  connect: { kind: "connect" },
  disconnect: { kind: "disconnect" },
  online: { kind: "online" },
  opened: { kind: "opened" },
  "closed 1006": { kind: "closed", code: 1006 },
  "closed 4401": { kind: "closed", code: 4401 },
  "welcomed 1": { kind: "welcomed", version: 1, access: "write" },
  "welcomed 2": { kind: "welcomed", version: 2, access: "write" },
  "welcomed 3": { kind: "welcomed", version: 3, access: "write" },
  "welcomed 4": { kind: "welcomed", version: 4, access: "write" },
  caught_up: { kind: "caught_up" },
  heard: { kind: "heard" },
  garbled: { kind: "garbled" },
  unavailable: { kind: "unavailable", retryAfterMs: 1000 },
  awaited: { kind: "awaited", bytes: 100 },
  "session signed_in": { kind: "session", answer: "signed_in" },
  "session signed_out": { kind: "session", answer: "signed_out" },
  "session unknown": { kind: "session", answer: "unknown" },
  time: { kind: "time" },
};

/** What changes; every other event leaves the state as it is, without effects. */
const TABLE: { readonly [Kind in StateKind]: { readonly [Name in EventName]?: Outcome } } = {
  off: { connect: ["connecting", "open"] },
  connecting: {
    disconnect: ["off", "close"],
    online: ["connecting", "close", "open"],
    opened: ["greeting"],
    "closed 1006": ["asking", "ask_session"],
    "closed 4401": ["asking", "ask_session"],
    time: ["asking", "close", "ask_session"],
  },
  greeting: {
    disconnect: ["off", "close"],
    online: ["connecting", "close", "open"],
    "closed 1006": ["waiting"],
    "closed 4401": ["stopped"],
    "welcomed 1": ["catching_up"],
    "welcomed 2": ["catching_up"],
    "welcomed 3": ["catching_up"],
    "welcomed 4": ["stopped", "close"],
    garbled: ["waiting", "close"],
    unavailable: ["waiting", "close"],
    time: ["waiting", "close"],
  },
  catching_up: {
    disconnect: ["off", "close"],
    online: ["connecting", "close", "open"],
    "closed 1006": ["waiting"],
    "closed 4401": ["stopped"],
    caught_up: ["live"],
    heard: ["catching_up"],
    garbled: ["waiting", "close"],
    unavailable: ["waiting", "close"],
    time: ["waiting", "close"],
  },
  live: {
    connect: ["connecting", "close", "open"],
    disconnect: ["off", "close"],
    online: ["connecting", "close", "open"],
    "closed 1006": ["waiting"],
    "closed 4401": ["stopped"],
    heard: ["live"],
    garbled: ["waiting", "close"],
    unavailable: ["waiting", "close"],
    awaited: ["live"],
    time: ["waiting", "close"],
  },
  asking: {
    connect: ["connecting", "open"],
    disconnect: ["off"],
    online: ["connecting", "open"],
    "session signed_in": ["waiting"],
    "session signed_out": ["stopped"],
    "session unknown": ["waiting"],
    time: ["waiting"],
  },
  waiting: {
    connect: ["connecting", "open"],
    disconnect: ["off"],
    online: ["connecting", "open"],
    time: ["connecting", "open"],
  },
  stopped: { connect: ["connecting", "open"], disconnect: ["off"] },
};

const names = Object.keys(EVENTS) as EventName[];
const kinds = Object.keys(STATES) as StateKind[];

test.each(kinds)("[L3] every event has its meaning in the state %s", (kind) => {
  const outcomes = names.map((name) => {
    const before = STATES[kind];
    const { state, effects } = step(before, EVENTS[name], { now: NOW, random: () => 0.5 });
    return state === before && effects.length === 0 ? undefined : [name, state.kind, ...effects];
  });
  const expected = names.map((name) => {
    const outcome = TABLE[kind][name];
    return outcome === undefined ? undefined : [name, ...outcome];
  });
  expect(outcomes).toEqual(expected);
});

test.each(kinds)("[L3] time means nothing in the state %s before it is due", (kind) => {
  const before = STATES[kind];
  const early = kind === "live" ? 3_999 : NOW - 1;
  const { state, effects } = step(before, { kind: "time" }, { now: early, random: () => 0.5 });
  expect({ state, effects }).toEqual({ state: before, effects: [] });
});
