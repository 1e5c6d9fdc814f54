import { always, benchGroup, noGoal, type RowOf, upTo } from "../bench-group.ts";
import { atLeast, atMost } from "../goal.ts";
import { benchConnections, benchFanOut, benchLargeSync, type FanOutFigures } from "../sync.ts";

const RELAY = "a bare websocket relay that batches each turn, behind a bare group commit";
const HOCUSPOCUS = "Hocuspocus, which stores nothing here";

const TYPING = {
  one: "one types 100 letters a second",
  all: "all type, 200 letters a second",
  oneAtOnce: "one sends, 32 letters on their way",
  allAtOnce: "all send, 32 letters on their way",
} as const satisfies Record<keyof FanOutFigures, string>;

const LIMIT =
  "A frame for each client that reads; beyond it each update is judged, applied, indexed and made durable.";

function fanOutRows(typing: keyof FanOutFigures): readonly RowOf<FanOutFigures>[] {
  const row = { unit: "µs", comparison: "cost", limit: LIMIT } as const;
  const what = TYPING[typing];
  return [
    {
      ...row,
      id: `fan-out-${typing}`,
      what,
      goal: always(atLeast(0.8)),
      floor: RELAY,
      read: ({ [typing]: rounds }) => ({ measured: rounds.service, floor: rounds.floor }),
    },
    {
      ...row,
      id: `fan-out-${typing}-hocuspocus`,
      what: `${what}, against a peer`,
      // At most 0.8 of what it costs there.
      goal: always(atLeast(1.25)),
      floor: HOCUSPOCUS,
      read: ({ [typing]: rounds }) => ({ measured: rounds.service, floor: rounds.hocuspocus }),
    },
  ];
}

/** What a keystroke costs that goes to a hundred clients. */
export const FAN_OUT_ROWS = benchGroup<FanOutFigures>({
  name: "fan-out",
  title: "Live editing: fan-out to 100 clients, durable, CPU of the server for a keystroke",
  sizes: [0],
  measure: () => benchFanOut(),
  rows: (Object.keys(TYPING) as (keyof FanOutFigures)[]).flatMap((typing) => fanOutRows(typing)),
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
        "Stored chunks are decompressed and sent without an encode; the updates behind them are copied into few.",
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
      limit: "Nearly all is the connection itself: upgrade, key, greeting.",
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
      limit: "The key and the greeting.",
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
