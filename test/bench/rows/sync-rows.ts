import { always, benchGroup } from "../bench-group.ts";
import { atLeast, atMost } from "../goal.ts";
import { benchConnections, benchFanOut, benchLargeSync } from "../sync.ts";

const RELAY = "a bare websocket relay that batches the same way, behind a bare group commit";

/** What live editing costs the server. */
export const SYNC_ROWS = benchGroup({
  name: "sync",
  title: "Live editing",
  sizes: [100_000],
  measure: async (nodes) => ({
    fanOut: await benchFanOut(),
    connections: await benchConnections(),
    large: await benchLargeSync(nodes),
  }),
  rows: [
    {
      id: "fan-out-1",
      what: "fan-out to 100 clients, one types, durable; CPU of the server",
      unit: "µs",
      comparison: "cost",
      goal: always(atLeast(0.7)),
      floor: RELAY,
      limit: "",
      read: ({ fanOut: { one } }) => ({ measured: one.service, floor: one.floor }),
    },
    {
      id: "fan-out-100",
      what: "fan-out to 100 clients, all type, durable; CPU of the server",
      unit: "µs",
      comparison: "cost",
      goal: always(atLeast(0.7)),
      floor: RELAY,
      limit: "",
      read: ({ fanOut: { hundred } }) => ({ measured: hundred.service, floor: hundred.floor }),
    },
    {
      id: "cold-sync",
      what: "cold sync to a new client, CPU of the server",
      unit: "ms",
      comparison: "absolute",
      goal: (nodes) => (nodes <= 100_000 ? atMost(300) : undefined),
      limit: "",
      read: ({ large }) => ({ measured: large.coldMs }),
    },
    {
      id: "reconnect-bytes",
      what: "reconnect ten edits behind, sent",
      unit: "bytes",
      comparison: "absolute",
      goal: always(atMost(4096)),
      limit: "",
      read: ({ large }) => ({ measured: large.reconnectBytes }),
    },
    {
      id: "reconnect-cpu",
      what: "reconnect ten edits behind, CPU of the server",
      unit: "ms",
      comparison: "absolute",
      goal: always(atMost(2)),
      limit: "",
      read: ({ large }) => ({ measured: large.reconnectMs }),
    },
    {
      id: "connections-failed",
      what: "1,000 connections within 2 s, failed",
      unit: "",
      comparison: "absolute",
      goal: always(atMost(0)),
      limit: "",
      read: ({ connections }) => ({ measured: connections.failed }),
    },
    {
      id: "connection-cpu",
      what: "a connection, CPU of the server",
      unit: "ms",
      comparison: "absolute",
      goal: always(atMost(0.6)),
      limit: "",
      read: ({ connections }) => ({ measured: connections.cpuMs }),
    },
    {
      id: "others-p99",
      what: "p99 of an unrelated pair meanwhile",
      unit: "ms",
      comparison: "absolute",
      goal: always(atMost(50)),
      limit: "",
      read: ({ connections }) => ({ measured: connections.othersP99Ms }),
    },
    {
      id: "idle-connection",
      what: "an idle connection, heap",
      unit: "bytes",
      comparison: "absolute",
      goal: always(atMost(12_288)),
      limit: "",
      read: ({ connections }) => ({ measured: connections.idleBytes }),
    },
  ],
});
