import { always, benchGroup } from "../bench-group.ts";
import { atMost } from "../goal.ts";
import { benchBlocking } from "../sync-blocking.ts";

/** What the worst messages that a client may send do to everybody else. */
export const BLOCKING_ROWS = benchGroup({
  name: "blocking",
  title: "The worst messages",
  sizes: [0],
  measure: () => benchBlocking(),
  rows: [
    {
      id: "blocking",
      what: "longest turn of the event loop over the worst messages of 4 MB, CPU of the thread",
      unit: "ms",
      comparison: "absolute",
      goal: always(atMost(100)),
      nextGoal: atMost(50),
      limit:
        "Messages are judged and applied in slices; a slice ends at a few milliseconds, a collection may meet it.",
      read: (messages) => ({ measured: Math.max(...messages.map(({ longestMs }) => longestMs)) }),
    },
  ],
});
