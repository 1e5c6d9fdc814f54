import { expect, test } from "vitest";
import {
  dueAt,
  type ConnectionEvent,
  type ConnectionState,
} from "../../../../client/lib/connection/connection-state.ts";
import { step } from "../../../../client/lib/connection/connection-step.ts";
import { retryDelay } from "../../../../client/lib/connection/retry-delay.ts";

const LIVE: ConnectionState = {
  kind: "live",
  attempt: 0,
  since: 0,
  access: "write",
  unanswered: undefined,
  isSilent: false,
};

/** The states that follow from events, each at its moment. */
function run(
  start: ConnectionState,
  ...events: readonly (readonly [now: number, event: ConnectionEvent])[]
): ConnectionState {
  let state = start;
  for (const [now, event] of events) state = step(state, event, { now, random: () => 1 }).state;
  return state;
}

test("[L4] delays grow from a fraction of a second to half a minute, spread over their upper half", () => {
  const attempts = [0, 1, 2, 3, 4, 5, 6, 7, 50];
  expect(attempts.map((attempt) => retryDelay(attempt, () => 0))).toEqual([
    100, 200, 400, 800, 1600, 3200, 6400, 12_800, 15_000,
  ]);
  expect(attempts.map((attempt) => retryDelay(attempt, () => 1))).toEqual([
    200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000,
  ]);
});

test.each<[ConnectionEvent, string]>([
  [{ kind: "closed", code: 1006 }, "the line breaks"],
  [{ kind: "closed", code: 1012 }, "the server restarts"],
])(
  "[L4] a connection that has caught up starts the delays anew, however short: %o, %s",
  (closed) => {
    const waiting = { kind: "waiting", attempt: 1, cause: "unreachable" };
    for (let drop = 0, state: ConnectionState = LIVE; drop < 10; drop++) {
      const now = 10_000 * drop;
      state = run(
        { kind: "catching_up", attempt: 7, until: now + 100, access: "write" },
        [now, { kind: "caught_up" }],
        [now + 1, closed],
      );
      expect(state).toEqual({ ...waiting, until: now + 201 });
    }
  },
);

test("[L4] one that ends before it has caught up does not", () => {
  const catchingUp = { kind: "catching_up", attempt: 4, until: 9_000, access: "write" } as const;
  expect(run(catchingUp, [5_000, { kind: "closed", code: 1006 }])).toEqual({
    kind: "waiting",
    attempt: 5,
    until: 8200,
    cause: "unreachable",
  });
});

test.each<ConnectionEvent>([
  { kind: "closed", code: 1013 },
  { kind: "closed", code: 1011 },
  { kind: "unavailable", retryAfterMs: 0 },
  { kind: "garbled" },
])("[L4] nor one that the server ends at once because it can't go on: %o", (ending) => {
  const live = { ...LIVE, attempt: 4 };
  expect(run(live, [5_000, ending])).toMatchObject({ attempt: 5, until: 8200 });
  expect(run(live, [20_000, ending])).toMatchObject({ attempt: 1, until: 20_200 });
});

test("[L4] a server that can't save says how long to stay away, up to a minute", () => {
  const told = (retryAfterMs: number): ConnectionState =>
    run({ ...LIVE, since: 90_000 }, [100_000, { kind: "unavailable", retryAfterMs }]);
  const waiting = { kind: "waiting", attempt: 1, cause: "unavailable" };
  expect(told(0)).toEqual({ ...waiting, until: 100_200 });
  expect(told(5_000)).toEqual({ ...waiting, until: 105_000 });
  expect(told(3_600_000)).toEqual({ ...waiting, until: 160_000 });
});

test("[L5] nothing is due on a connection that waits for nothing", () => {
  expect(dueAt(LIVE)).toBeUndefined();
  const answered = run(
    LIVE,
    [1_000, { kind: "awaited", bytes: 40 }],
    [1_100, { kind: "heard" }],
    [1_100, { kind: "awaited", bytes: 0 }],
  );
  expect(answered).toEqual(LIVE);
});

test("[L5] what is unanswered for four seconds is not on its way, and the connection is given up after ten", () => {
  const sent = run(LIVE, [1_000, { kind: "awaited", bytes: 40 }]);
  expect(dueAt(sent)).toBe(5_000);
  const silent = run(sent, [5_000, { kind: "time" }]);
  expect(silent).toEqual({ ...LIVE, isSilent: true, unanswered: { since: 1_000, bytes: 40 } });
  expect(dueAt(silent)).toBe(11_016);
  expect(run(silent, [11_017, { kind: "time" }]).kind).toBe("waiting");
});

test("[L5] whatever is heard shows that the server is there", () => {
  const silent = run(LIVE, [1_000, { kind: "awaited", bytes: 40 }], [5_000, { kind: "time" }]);
  expect(run(silent, [6_000, { kind: "heard" }])).toEqual({
    ...LIVE,
    unanswered: { since: 6_000, bytes: 40 },
  });
});

test("[L5] a large upload has the time that a slow line needs before it is given up", () => {
  const sent = run(LIVE, [0, { kind: "awaited", bytes: 64_000 }], [4_000, { kind: "time" }]);
  expect(dueAt(sent)).toBe(35_600);
});

test.each([
  [4400, "refused"],
  [4401, "signed_out"],
  [4403, "refused"],
  [4404, "refused"],
  [4429, "refused"],
  [4499, "refused"],
])("[L6] code %i stops the client: %s", (code, cause) => {
  expect(run(LIVE, [0, { kind: "closed", code }])).toEqual({ kind: "stopped", cause });
});

test.each([
  [1000, "unreachable"],
  [1006, "unreachable"],
  [4408, "unreachable"],
  [1011, "unavailable"],
  [1012, "unreachable"],
  [1013, "unavailable"],
  [4399, "unreachable"],
  [4500, "unreachable"],
])("[L6] after code %i it is tried again: %s", (code, cause) => {
  expect(run(LIVE, [0, { kind: "closed", code }])).toMatchObject({ kind: "waiting", cause });
});
