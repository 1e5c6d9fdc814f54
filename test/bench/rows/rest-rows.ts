import { always, benchGroup, noGoal } from "../bench-group.ts";
import { atLeast } from "../goal.ts";
import { benchRest, type Compared } from "../rest.ts";

function figure({ service, floor }: Compared) {
  return { measured: service, floor };
}

/** What requests cost the built server, in a process of its own. */
export const REST_ROWS = benchGroup({
  name: "rest",
  title: "REST",
  sizes: [1000, 10_000, 100_000, 1_000_000],
  measure: (nodes) => benchRest(nodes),
  rows: [
    {
      id: "retrieve",
      what: "GET one node, CPU of the server",
      unit: "µs",
      comparison: "cost",
      goal: always(atLeast(0.8)),
      floor: "a bare fastify route that answers the same body",
      limit:
        "Node's HTTP parser and the socket's write are nine tenths; at 1,000,000 nodes the heap's garbage collections add 4 to 12 µs.",
      read: ({ retrieveUs }) => figure(retrieveUs),
    },
    {
      id: "list-20",
      what: "GET a list of 20 children, CPU of the server",
      unit: "µs",
      comparison: "cost",
      goal: always(atLeast(0.8)),
      floor: "a bare fastify route that answers the same body",
      limit: "As above.",
      read: ({ listUs }) => figure(listUs),
    },
    {
      id: "create",
      what: "POST a node, durable, by 64 connections, CPU of the server",
      unit: "µs",
      comparison: "cost",
      goal: always(atLeast(0.7)),
      floor: "bare fastify that appends the body to LevelDB with a group commit",
      limit:
        "Of the main thread: the socket's write 20 %, garbage collection 17 % and as much again on V8's helper threads, model and markdown 17 %, Yjs 8 %, LevelDB and store 7 %, HTTP and fastify 14 %, snapshots 5 %, keys, checks, metrics and headers 4 %. The next row says what a document of Yjs alone costs.",
      read: ({ createUs }) => figure(createUs),
    },
    {
      id: "create-yjs",
      what: "the same beside a server that only keeps nodes in a document of Yjs",
      unit: "µs",
      comparison: "cost",
      goal: noGoal,
      floor:
        "bare fastify that writes a node's structs into Yjs, a transaction a turn, and appends the update with a group commit",
      limit:
        "Markdown, place and order 8 µs, index and repair 5, key, checks, headers and metrics 5, heads, checksums and snapshots 5; the rest is garbage: 25 KB a create beside the floor's 12.",
      read: ({ createInYjsUs }) => figure(createInYjsUs),
    },
    {
      id: "create-rate",
      what: "the same by the clock, beside those who ask",
      unit: "a second",
      comparison: "rate",
      goal: noGoal,
      floor: "as above",
      limit: "The load's own process shares the cores, and both wait for fsync.",
      read: ({ createsPerSecond }) => figure(createsPerSecond),
    },
    {
      id: "rest-resident",
      what: "resident memory of the server with that outline open",
      unit: "MB",
      comparison: "absolute",
      goal: noGoal,
      limit: "The outline's heap, and what V8 has not collected yet.",
      read: ({ residentBytes }) => ({ measured: residentBytes / 1e6 }),
    },
  ],
});
