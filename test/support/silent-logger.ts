import type { FastifyBaseLogger } from "fastify";

function ignore(): void {}

/** A logger for services whose logs no test looks at. */
export const SILENT_LOGGER: FastifyBaseLogger = {
  level: "silent",
  fatal: ignore,
  error: ignore,
  warn: ignore,
  info: ignore,
  debug: ignore,
  trace: ignore,
  silent: ignore,
  child: () => SILENT_LOGGER,
};
