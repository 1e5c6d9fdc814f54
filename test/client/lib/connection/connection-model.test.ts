import fc from "fast-check";
import { expect, test } from "vitest";
import {
  dueAt,
  type ConnectionEvent,
  type ConnectionState,
} from "../../../../client/lib/connection/connection-state.ts";
import { step } from "../../../../client/lib/connection/connection-step.ts";

/** The world around the machine: one network, which may lose everything. */
interface World {
  socket: "none" | "opening" | "open";
  isAsked: boolean;
  state: ConnectionState;
  now: number;
}

const HAS_SOCKET = new Set(["connecting", "greeting", "catching_up", "live"]);

const event: fc.Arbitrary<ConnectionEvent> = fc.oneof(
  ...(
    ["connect", "disconnect", "online", "opened", "caught_up", "heard", "garbled", "time"] as const
  ).map((kind) => fc.constant<ConnectionEvent>({ kind })),
  fc.constantFrom(1000, 1006, 1011, 1012, 1013, 4400, 4401, 4403, 4499).map((code) => ({
    kind: "closed" as const,
    code,
  })),
  fc.constantFrom(1, 2).map((version) => ({
    kind: "welcomed" as const,
    version,
    access: "write" as const,
  })),
  fc.nat(100_000).map((retryAfterMs) => ({ kind: "unavailable" as const, retryAfterMs })),
  fc.nat(1_000_000).map((bytes) => ({ kind: "awaited" as const, bytes })),
  fc
    .constantFrom("signed_in" as const, "signed_out" as const, "unknown" as const)
    .map((answer) => ({
      kind: "session" as const,
      answer,
    })),
);

/** Does what the effects say, and fails where the world can't. */
function take(world: World, given: ConnectionEvent): void {
  if (given.kind === "opened") {
    if (world.socket !== "opening") return;
    world.socket = "open";
  }
  if (given.kind === "closed") {
    if (world.socket === "none") return;
    world.socket = "none";
  }
  if (given.kind === "session") {
    if (!world.isAsked) return;
    world.isAsked = false;
  }
  const { state, effects } = step(world.state, given, { now: world.now, random: () => 0.3 });
  for (const effect of effects) {
    switch (effect) {
      case "open":
        expect(world.socket, "a second socket").toBe("none");
        world.socket = "opening";
        break;
      case "close":
        expect(world.socket, "nothing to close").not.toBe("none");
        world.socket = "none";
        break;
      case "ask_session":
        world.isAsked = true;
    }
  }
  world.state = state;
}

function newWorld(): World {
  return { socket: "none", isAsked: false, state: { kind: "off" }, now: 0 };
}

const script = fc.array(fc.tuple(fc.nat(20_000), event), { maxLength: 60 });

test("[L3] whatever happens, there is a socket exactly while one is wanted, and never two", () => {
  fc.assert(
    fc.property(script, (steps) => {
      const world = newWorld();
      for (const [ms, given] of steps) {
        world.now += ms;
        take(world, given);
        expect(world.socket !== "none").toBe(HAS_SOCKET.has(world.state.kind));
      }
    }),
  );
});

test("[L4] whatever happened, a client that is not stopped comes back by itself", () => {
  fc.assert(
    fc.property(script, (steps) => {
      const world = newWorld();
      take(world, { kind: "connect" });
      for (const [ms, given] of steps) {
        world.now += ms;
        if (given.kind !== "disconnect") take(world, given);
      }
      // From here on the network takes nothing and says nothing.
      for (let count = 0; count < 6; count += 1) {
        if (world.state.kind === "stopped" || world.state.kind === "connecting") break;
        if (world.state.kind === "live") take(world, { kind: "awaited", bytes: 1 });
        world.now = Math.max(world.now, dueAt(world.state) ?? Infinity);
        take(world, { kind: "time" });
      }
      expect(["stopped", "connecting"]).toContain(world.state.kind);
    }),
  );
});

test("[L4] from any state a server that answers is reached with connect, within one attempt", () => {
  fc.assert(
    fc.property(script, (steps) => {
      const world = newWorld();
      for (const [ms, given] of steps) {
        world.now += ms;
        take(world, given);
      }
      take(world, { kind: "disconnect" });
      expect(world.socket).toBe("none");
      take(world, { kind: "connect" });
      take(world, { kind: "opened" });
      take(world, { kind: "welcomed", version: 1, access: "write" });
      take(world, { kind: "caught_up" });
      expect(world.state.kind).toBe("live");
    }),
  );
});
