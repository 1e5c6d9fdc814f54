import type { FastifyBaseLogger } from "fastify";
import type { Metrics } from "./metrics.ts";
import type { ServiceEvents } from "./open-service.ts";
import type { ThreadEvents } from "./thread-watch.ts";

interface ReportedEvents extends Required<ServiceEvents> {
  readonly threadEvents: Required<ThreadEvents>;
}

const UNCLEAN_END =
  'the store was not closed: the last process crashed, was killed, or lost its power. Nothing that was acknowledged is lost by that. If it ended with "Assertion failed", the disk has damaged a file: stop, and run "outline repair"';

export const LOG_LOSS =
  'Pieces of the store\'s log can\'t be read, and were left out. After a power cut they may be writes that nobody was told of; otherwise something is lost that was acknowledged, and a revoked key may be valid again. Devices hand in what they have of it. Run "outline check", and look at "outline user list" and "outline key list".';

/** What happens inside, counted, and logged where a person should know. */
export function serviceEvents(
  {
    storeEvents,
    documentEvents,
    threadEvents,
  }: Pick<Metrics, "storeEvents" | "documentEvents" | "threadEvents">,
  logger: FastifyBaseLogger,
): ReportedEvents {
  return {
    storeEvents: {
      ...storeEvents,
      onFailure(error) {
        storeEvents.onFailure?.(error);
        logger.error(
          { err: error },
          "the store fails: nothing is acknowledged until it works again",
        );
      },
      onRecovery() {
        storeEvents.onRecovery?.();
        logger.info("the store works again");
      },
      onUncleanEnd() {
        storeEvents.onUncleanEnd?.();
        logger.warn(UNCLEAN_END);
      },
      onLogLoss(pieces) {
        storeEvents.onLogLoss?.(pieces);
        logger.error({ pieces }, LOG_LOSS);
      },
    },
    onRestored: ({ updates, outlines, clocks, clients }) =>
      logger.warn(
        { updates, outlines, clocks, clients },
        "a backup was put back that lacks so many updates: what devices have of them they bring back",
      ),
    threadEvents: {
      onLongTurn(turn) {
        threadEvents.onLongTurn?.(turn);
        const { payer, kind, size, tookMs } = turn;
        logger.error(
          { payer, kind, size, ms: Math.round(tookMs) },
          "nobody else had a turn while this was done: the like of it is refused for a minute",
        );
      },
      onPause(tookMs) {
        threadEvents.onPause?.(tookMs);
        logger.warn({ ms: Math.round(tookMs) }, "the process stood still, for no fault of a user");
      },
    },
    documentEvents: {
      ...documentEvents,
      onPurge(ms, nodes) {
        documentEvents.onPurge?.(ms, nodes);
        logger.info({ nodes, ms }, "deleted nodes were removed for good");
      },
      onBroughtBack: (outline, structs) =>
        logger.info(
          { outline, structs },
          "what a restored or repaired store lacked was brought back",
        ),
      onHandedIn(outline, { updates, refused }) {
        documentEvents.onHandedIn?.(outline, { updates, refused });
        logger.warn(
          { outline, updates, refused },
          "the store had lost what it had confirmed of an outline, and was handed it in again by this process",
        );
      },
      onStillMissing(outline, { clocks, clients }) {
        if (clocks === 0)
          logger.info({ outline }, "all that a restored or repaired store lacked has come back");
        else {
          logger.warn(
            { outline, clocks, clients },
            "so many characters and values have not come back since a backup was put back or the store was repaired",
          );
        }
      },
      onTooLarge: (outline, bytes) =>
        logger.warn(
          { outline, bytes },
          "an outline was not opened: it takes more memory than OUTLINE_MEMORY_BYTES allows",
        ),
      onStoreFailing: (cause) =>
        logger.error({ err: cause }, "the store does not answer: writes are refused until it does"),
      onStoreWorking: () => logger.info("the store answers again"),
      onDefect: (error) => logger.error({ err: error }, "a defect in a document"),
    },
  };
}
