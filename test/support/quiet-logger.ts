import type { FastifyBaseLogger } from "fastify";

function ignore(): void {}

/** A logger for services whose logs no test looks at. Faults are shown: a test has caused one. */
export const QUIET_LOGGER: FastifyBaseLogger = {
  level: "error",
  fatal: console.error,
  error: console.error,
  warn: ignore,
  info: ignore,
  debug: ignore,
  trace: ignore,
  silent: ignore,
  child: () => QUIET_LOGGER,
};
