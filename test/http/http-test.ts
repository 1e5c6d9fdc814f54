import { test as base } from "vitest";
import { startService } from "../support/service.ts";

/** Tests against one running service for each file, on a store in memory, with its first user. */
export const test = base.extend("service", { scope: "file" }, async ({}, { onCleanup }) => {
  const service = await startService({ exportLimitMs: 0 });
  onCleanup(() => service.close());
  return service;
});
