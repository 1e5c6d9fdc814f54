import type { FastifyBaseLogger } from "fastify";
import type { Metrics } from "./metrics.ts";
import type { ServiceEvents } from "./open-service.ts";
import type { ThreadEvents } from "./thread-watch.ts";

interface ReportedEvents extends Required<ServiceEvents> {
  readonly threadEvents: Required<ThreadEvents>;
}

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
    salvaging: {
      onBegin: (damage) =>
        logger.error({ damage }, "the store is damaged: what can be read goes into a new one"),
      onEnd({ damage, aside, refused, mayLackAccounts }) {
        const accounts = mayLackAccounts
          ? " Users, with their outlines, or keys may be missing, and revoked keys may be valid again: look at `outline user list` and `outline key list`."
          : "";
        const outlines =
          refused.length === 0
            ? "Nothing is lost of the outlines that are served."
            : `Outlines that are not served, because something of them is lost: ${refused.join(", ")}.`;
        logger.error(
          { damage, aside, refused },
          `The damaged store is kept in "${aside}"; what could be read is served. ${outlines}${accounts}`,
        );
      },
    },
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
      onTornEnd({ file, bytes, outlines }) {
        storeEvents.onTornEnd?.({ file, bytes, outlines });
        logger.warn(
          { file, bytes, outlines },
          "the last write before the crash is incomplete and left out; nobody was told that it was saved",
        );
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
        logger.info({ outline, structs }, "a device brought back what a restored backup lacked"),
      onStillMissing(outline, { clocks, clients }) {
        if (clocks === 0)
          logger.info({ outline }, "all that a restored backup lacked has come back");
        else {
          logger.warn(
            { outline, clocks, clients },
            "so many characters and values have not come back since a backup was put back",
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
