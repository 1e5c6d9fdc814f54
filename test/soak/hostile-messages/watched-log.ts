import { Writable } from "node:stream";
import { type Logger, pino } from "pino";

/** What no log may hold: what is written in these rows, keys, and cookies. */
const TELLING =
  /zqsecretqz|o[ks]_[0-9A-Za-z]{32}|outline_session|longer name of a node|word\d+ |Berlin|\/nodes\/(?!:)/;
const ERROR_LEVEL = 50;

export interface WatchedLog {
  /** Logs all there is. */
  readonly logger: Logger;
  /** Lines that tell of a fault of the server. */
  readonly faults: string[];
  /** Lines that tell what is nobody's business. */
  readonly leaks: string[];
  lines: number;
}

/** A log as the server has it, at its most talkative, of which every line is looked at. */
export function watchedLog(): WatchedLog {
  const stream = new Writable({
    write(chunk, _encoding, done) {
      const line = String(chunk);
      log.lines++;
      const { level } = JSON.parse(line) as { readonly level: number };
      if (level >= ERROR_LEVEL) log.faults.push(line);
      if (TELLING.test(line)) log.leaks.push(line);
      done();
    },
  });
  const log: WatchedLog = {
    logger: pino({ level: "trace" }, stream),
    faults: [],
    leaks: [],
    lines: 0,
  };
  return log;
}
