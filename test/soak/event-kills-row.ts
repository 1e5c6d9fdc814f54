import { EventListener } from "./telling/event-listener.ts";
import { tellingRow } from "./telling/telling-row.ts";

/** Whoever follows the events of a server that is killed again and again. */
export const eventKillsRow = tellingRow({
  name: "event-kills",
  fault: "kill -9 of the server while a program writes and another follows the stream of events",
  goal: "with its last id it is told of each acknowledged change at least once, in order",
  open: () => Promise.resolve(new EventListener()),
  isWrittenTo: true,
  controls: {
    "begins-now": {
      wrong: "a stream begins now, wherever the last event was",
      edits: [["since: lastEventId ?? query.since", "since: query.since"]],
    },
    "ids-run-ahead": {
      wrong: "the id of an event stands for what comes behind it too",
      edits: [
        [
          "yield* changesEvent(run, told);",
          `{
            await held.pause(100);
            const ahead = await toldChanges(service, principal, { ...following, since: undefined });
            yield* changesEvent(run, { ...told, cursor: ahead.cursor });
          }`,
        ],
      ],
    },
  },
});
