import { test as base } from "vitest";
import { startService, type ServiceOptions } from "../support/service.ts";

const OPTIONS: ServiceOptions = { exportLimitMs: 0 };

/** Tests against one running service for each file, on a store in memory, with its first user. */
export const test = base
  .extend("options", { scope: "file" }, OPTIONS)
  .extend("service", { scope: "file" }, async ({ options }, { onCleanup }) => {
    const service = await startService(options);
    onCleanup(() => service.close());
    return service;
  });
