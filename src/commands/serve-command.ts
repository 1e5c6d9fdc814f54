import type { Logger } from "pino";
import { banner } from "../banner.ts";
import { OPTION_DESCRIPTIONS } from "../config.ts";
import { VERSION } from "../version.ts";
import type { Command } from "./command.ts";
import { LogOutput } from "./log-output.ts";

const STANDARD_ERROR = 2;

export const SERVE_COMMAND: Command = {
  name: "serve",
  arguments: [],
  summary: "Runs the server until it is told to stop",
  options: OPTION_DESCRIPTIONS.map(({ name }) => name),
  need: "begin",
  async run({ config, out }) {
    // The other commands start faster without the server's libraries.
    const { pino } = await import("pino");
    const { startServer } = await import("../server.ts");
    // Not where the first key is printed: a log that is kept holds none.
    const logger = pino({ level: config.logLevel }, new LogOutput(STANDARD_ERROR));
    const starting = startServer(config, { logger, isTerminal: out.isTTY === true });
    const stopped = whenToStop(logger, starting);
    const server = await starting;
    out.write(banner({ version: VERSION, url: server.url, firstKey: server.firstKey }));
    logger.info({ url: server.url }, "serving");
    const cause = await stopped;
    logger.info({ cause }, "stopping");
    await server.close();
    logger.info("stopped");
    return cause === "bug" ? 1 : 0;
  },
};

/** A terminal and npm, which passes signals on, tell of one Ctrl-C twice. */
const SAME_SIGNAL_MS = 500;

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Resolves at the first signal, or when an error that nobody handled shows that the state of this
 * process can't be trusted any more. A second one of either ends the process at once, which loses
 * nothing that was acknowledged. Signals count while it starts, too: the first process of a container
 * is not ended by one that it does not wait for.
 */
function whenToStop(logger: Logger, starting: Promise<unknown>): Promise<"signal" | "bug"> {
  return new Promise((resolve) => {
    let stoppingSince: number | undefined;
    const stop = (cause: "signal" | "bug"): void => {
      if (stoppingSince !== undefined) process.exit(1);
      stoppingSince = performance.now();
      resolve(cause);
    };
    const onSignal = (): void => {
      const isSame =
        stoppingSince !== undefined && performance.now() - stoppingSince < SAME_SIGNAL_MS;
      if (!isSame) stop("signal");
    };
    const onBug = (error: unknown): void => {
      logger.fatal({ err: error }, "an error that nobody handled");
      stop("bug");
    };
    for (const signal of SIGNALS) process.on(signal, onSignal);
    starting.then(
      () => process.on("uncaughtException", onBug).on("unhandledRejection", onBug),
      () => SIGNALS.forEach((signal) => process.off(signal, onSignal)),
    );
  });
}
