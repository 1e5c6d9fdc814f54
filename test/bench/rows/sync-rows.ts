import { always, benchGroup, noGoal, type RowOf, upTo } from "../bench-group.ts";
import { atLeast, atMost } from "../goal.ts";
import { benchConnections, benchFanOut, benchLargeSync } from "../sync.ts";

type FanOut = Awaited<ReturnType<typeof benchFanOut>>;

const DURABLE = "a bare websocket relay that batches the same way, behind a bare group commit";
const UNSTORED = "the same relay, which stores nothing";

function fanOut(
  typists: keyof FanOut,
  floor: "floor" | "unstored",
  row: Pick<RowOf<FanOut>, "id" | "what" | "limit">,
): RowOf<FanOut> {
  return {
    ...row,
    unit: "µs",
    comparison: "cost",
    goal: always(atLeast(0.7)),
    floor: floor === "floor" ? DURABLE : UNSTORED,
    read: (figures) => {
      const rounds = figures[typists];
      return { measured: rounds.service, floor: rounds[floor] };
    },
  };
}

/** What a keystroke costs that goes to a hundred clients. */
export const FAN_OUT_ROWS = benchGroup<FanOut>({
  name: "fan-out",
  title: "Live editing: fan-out to 100 clients, durable, CPU of the server for a keystroke",
  sizes: [0],
  measure: () => benchFanOut(),
  rows: [
    fanOut("one", "floor", {
      id: "fan-out-1",
      what: "one types",
      limit:
        "A hundred writes to sockets, as in the floor; beyond it the update is judged, applied and indexed.",
    }),
    fanOut("one", "unstored", {
      id: "fan-out-1-unstored",
      what: "one types, against a relay that is not durable",
      limit: "As above, and a commit for nearly every keystroke.",
    }),
    fanOut("hundred", "floor", {
      id: "fan-out-100",
      what: "all type",
      limit:
        "Updates of one turn share a transaction; what is left is judging and applying each, and the sockets.",
    }),
    fanOut("hundred", "unstored", {
      id: "fan-out-100-unstored",
      what: "all type, against a relay that is not durable",
      limit: "As above.",
    }),
  ],
});

/** What a device costs that comes for all of an outline, or for a little of it. */
export const SYNC_ROWS = benchGroup({
  name: "sync",
  title: "Live editing: coming, and coming back",
  sizes: [1000, 10_000, 100_000, 1_000_000],
  measure: (nodes) => benchLargeSync(nodes),
  rows: [
    {
      id: "cold-sync",
      what: "cold sync to a new client, CPU of the server",
      unit: "ms",
      comparison: "absolute",
      goal: upTo(100_000, atMost(300)),
      nextGoal: atMost(150),
      limit:
        "Stored chunks are decompressed and sent without an encode; the updates behind them are merged once for all who come.",
      read: ({ coldMs }) => ({ measured: coldMs }),
    },
    {
      id: "cold-sync-bytes",
      what: "sent to it",
      unit: "bytes",
      comparison: "absolute",
      goal: noGoal,
      limit: "The whole state, as it is stored in chunks.",
      read: ({ coldBytes }) => ({ measured: coldBytes }),
    },
    {
      id: "reconnect-bytes",
      what: "reconnect ten edits behind, sent",
      unit: "bytes",
      comparison: "absolute",
      goal: always(atMost(4096)),
      nextGoal: atMost(1500),
      limit: "The ten edits, and what a connection begins with.",
      read: ({ reconnectBytes }) => ({ measured: reconnectBytes }),
    },
    {
      id: "reconnect-cpu",
      what: "reconnect ten edits behind, CPU of the server",
      unit: "ms",
      comparison: "absolute",
      goal: always(atMost(2)),
      limit: "Nearly all is the connection itself: upgrade, key, lease, greeting.",
      read: ({ reconnectMs }) => ({ measured: reconnectMs }),
    },
  ],
});

/** What many connections cost the server, and others. */
export const CONNECTION_ROWS = benchGroup({
  name: "connections",
  title: "Live editing: 1,000 connections within 2 s",
  sizes: [0],
  measure: () => benchConnections(),
  rows: [
    {
      id: "connections-failed",
      what: "of them failed",
      unit: "",
      comparison: "absolute",
      goal: always(atMost(0)),
      limit: "",
      read: ({ failed }) => ({ measured: failed }),
    },
    {
      id: "connection-cpu",
      what: "a connection, CPU of a server that has just started",
      unit: "ms",
      comparison: "absolute",
      goal: always(atMost(0.6)),
      floor: "a relay on bare ws that answers with an empty document",
      limit:
        "Half is the floor's. Of the rest most is code that is compiled the first time: see the next row.",
      read: ({ first }) => ({ measured: first.service, floor: first.floor }),
    },
    {
      id: "further-connection-cpu",
      what: "the same of the third thousand",
      unit: "ms",
      comparison: "absolute",
      goal: always(atMost(0.6)),
      floor: "as above",
      limit: "The key, the lease, which is made durable, and the greeting.",
      read: ({ further }) => ({ measured: further.service, floor: further.floor }),
    },
    {
      id: "others-p99",
      what: "p99 of an unrelated pair meanwhile, by the clock",
      unit: "ms",
      comparison: "absolute",
      goal: always(atMost(50)),
      limit: "A turn of the event loop takes some of those who come, then others have theirs.",
      read: ({ othersP99Ms }) => ({ measured: othersP99Ms }),
    },
    {
      id: "idle-connection",
      what: "an idle connection, heap",
      unit: "bytes",
      comparison: "absolute",
      goal: always(atMost(12_288)),
      limit: "The socket of Node and of ws, and the session.",
      read: ({ idleBytes }) => ({ measured: idleBytes }),
    },
  ],
});
