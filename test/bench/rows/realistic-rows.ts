import { benchGroup, noGoal } from "../bench-group.ts";
import { benchRealistic } from "../realistic.ts";
import type { Compared } from "../rest.ts";

const FLOOR = "the very same messages on bare fastify and ws with a group commit";

function figure({ service, floor }: Compared) {
  return { measured: service, floor };
}

/** The recorded histories of real lists as a load of REST and websocket edits. */
export const REALISTIC_ROWS = benchGroup({
  name: "realistic",
  title: "Realistic load: recorded histories, edited over REST and websockets by many at a time",
  sizes: [0],
  measure: () => benchRealistic(),
  rows: [
    {
      id: "realistic-cpu",
      what: "a request or update, CPU of the server",
      unit: "µs",
      comparison: "cost",
      goal: noGoal,
      floor: FLOOR,
      limit: "",
      read: ({ cpuUs }) => figure(cpuUs),
    },
    {
      id: "realistic-rate",
      what: "requests and updates, by the clock, beside those who send them",
      unit: "a second",
      comparison: "rate",
      goal: noGoal,
      floor: FLOOR,
      limit: "",
      read: ({ perSecond }) => figure(perSecond),
    },
    {
      id: "realistic-request-p50",
      what: "a request, durable, p50 by the clock",
      unit: "ms",
      comparison: "absolute",
      goal: noGoal,
      floor: FLOOR,
      limit: "",
      read: ({ requestP50Ms }) => figure(requestP50Ms),
    },
    {
      id: "realistic-request-p99",
      what: "a request, durable, p99 by the clock",
      unit: "ms",
      comparison: "absolute",
      goal: noGoal,
      floor: FLOOR,
      limit: "",
      read: ({ requestP99Ms }) => figure(requestP99Ms),
    },
    {
      id: "realistic-update-p50",
      what: "an edit until another device has it, durable, p50 by the clock",
      unit: "ms",
      comparison: "absolute",
      goal: noGoal,
      floor: FLOOR,
      limit: "",
      read: ({ updateP50Ms }) => figure(updateP50Ms),
    },
    {
      id: "realistic-update-p99",
      what: "an edit until another device has it, durable, p99 by the clock",
      unit: "ms",
      comparison: "absolute",
      goal: noGoal,
      floor: FLOOR,
      limit: "",
      read: ({ updateP99Ms }) => figure(updateP99Ms),
    },
    {
      id: "realistic-stored",
      what: "stored of all people's outlines",
      unit: "KB",
      comparison: "absolute",
      goal: noGoal,
      limit: "",
      read: ({ storedBytes }) => ({ measured: storedBytes / 1000 }),
    },
    {
      id: "realistic-resident",
      what: "resident memory of the server",
      unit: "MB",
      comparison: "absolute",
      goal: noGoal,
      limit: "",
      read: ({ residentBytes }) => ({ measured: residentBytes / 1e6 }),
    },
  ],
});
