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
      limit: "",
      read: ({ retrieveUs }) => figure(retrieveUs),
    },
    {
      id: "list-20",
      what: "GET a list of 20 children, CPU of the server",
      unit: "µs",
      comparison: "cost",
      goal: always(atLeast(0.8)),
      floor: "a bare fastify route that answers the same body",
      limit: "",
      read: ({ listUs }) => figure(listUs),
    },
    {
      id: "create",
      what: "POST a node, durable, by 64 connections, CPU of the server",
      unit: "µs",
      comparison: "cost",
      goal: always(atLeast(0.7)),
      floor: "bare fastify that appends the body to LevelDB with a group commit",
      limit: "",
      read: ({ createUs }) => figure(createUs),
    },
    {
      id: "create-rate",
      what: "the same by the clock, beside those who ask",
      unit: "a second",
      comparison: "rate",
      goal: noGoal,
      floor: "as above",
      limit: "",
      read: ({ createsPerSecond }) => figure(createsPerSecond),
    },
    {
      id: "rest-resident",
      what: "resident memory of the server with that outline open",
      unit: "MB",
      comparison: "absolute",
      goal: noGoal,
      limit: "",
      read: ({ residentBytes }) => ({ measured: residentBytes / 1e6 }),
    },
  ],
});
