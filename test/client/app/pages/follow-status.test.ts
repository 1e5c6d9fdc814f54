import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { followStatus } from "../../../../client/app/page/use-status.ts";
import type { Status } from "../../../../client/lib/status.ts";

const SAVED: Status = { kind: "saved" };
const SAVING: Status = { kind: "saving", unsent: 1 };
const UNREACHABLE: Status = {
  kind: "local",
  unsent: 1,
  lines: 1,
  since: 0,
  cause: "unreachable",
};

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** A replica whose status is set by hand, and what of it was shown. */
function followed() {
  const listeners = new Set<(status: Status) => void>();
  const replica = {
    status: SAVED,
    onStatus(listener: (status: Status) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const shown: string[] = [];
  const stop = followStatus(replica, ({ kind }) => shown.push(kind));
  const become = (status: Status): void => {
    replica.status = status;
    for (const listener of listeners) listener(status);
  };
  return { shown, become, stop };
}

test("[W315] who types sees that it is being saved, and that it is saved when they rest", () => {
  const { shown, become } = followed();
  for (let letter = 0; letter < 20; letter++) {
    become(SAVING);
    vi.advanceTimersByTime(20);
    become(SAVED);
    vi.advanceTimersByTime(80);
  }
  expect(new Set(shown.slice(1))).toEqual(new Set(["saving"]));
  vi.advanceTimersByTime(20);
  expect(shown.at(-1)).toBe("saved");
});

test("[W315] what is less safe is shown at once", () => {
  const { shown, become, stop } = followed();
  become(SAVING);
  become(SAVED);
  become(UNREACHABLE);
  vi.advanceTimersByTime(1000);
  expect(shown).toEqual(["saved", "saving", "local"]);
  become(SAVED);
  stop();
  vi.advanceTimersByTime(1000);
  expect(shown).toHaveLength(3);
});
