import { test as base } from "vitest";

import { startService } from "../../support/service.ts";
import { Api } from "./api.ts";
import { TestClock } from "./test-clock.ts";

let users = 0;

/** A name that no other user of this run has. */
export function newUserName(): string {
  users += 1;
  return `user-${users}`;
}

/**
 * Tests against one running service for each file: `api` is a fresh user's, `other` another's, and
 * the clock, which is the service's own, stands at `TestClock.START` when a test begins.
 */
export const test = base
  .extend("clock", { scope: "file" }, new TestClock())
  .extend("service", { scope: "file" }, async ({ clock }, { onCleanup }) => {
    const service = await startService({ now: clock.now, exportLimitMs: 0 });
    onCleanup(() => service.close());
    return service;
  })
  .extend("api", async ({ service, clock }) => {
    clock.reset();
    const { key } = await service.newUser(newUserName());
    return new Api(service.url, key);
  })
  .extend("other", async ({ service }) => {
    const { key } = await service.newUser(newUserName());
    return new Api(service.url, key);
  });
