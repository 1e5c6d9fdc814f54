import type { FastifyBaseLogger } from "fastify";
import type { Metrics } from "./metrics.ts";
import type { ServiceEvents } from "./open-service.ts";

/** What happens inside, counted, and logged where a person should know. */
export function serviceEvents(
  { storeEvents, documentEvents }: Pick<Metrics, "storeEvents" | "documentEvents">,
  logger: FastifyBaseLogger,
): Required<ServiceEvents> {
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
    documentEvents: {
      ...documentEvents,
      onPurge(ms, nodes) {
        documentEvents.onPurge?.(ms, nodes);
        logger.info({ nodes, ms }, "deleted nodes were removed for good");
      },
      onDefect: (error) => logger.error({ err: error }, "a defect in a document"),
    },
  };
}
