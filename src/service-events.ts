import type { FastifyBaseLogger } from "fastify";
import type { DocumentEvents } from "./documents/document-events.ts";
import type { Metrics } from "./metrics.ts";
import type { StoreEvents } from "./store/store-core.ts";

/** What happens inside, counted, and logged where a person should know. */
export function serviceEvents(
  { storeEvents, documentEvents }: Pick<Metrics, "storeEvents" | "documentEvents">,
  logger: FastifyBaseLogger,
): { readonly storeEvents: StoreEvents; readonly documentEvents: DocumentEvents } {
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
