import { Histogram, type Registry } from "prom-client";

/** Upper bounds, in seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export type RequestTimes = Histogram<"method" | "route" | "status">;

/** Counts and times requests, by what there is little of: routes, methods, statuses. [Q19] */
export function requestTimes(registry: Registry): RequestTimes {
  return new Histogram({
    name: "outline_http_request_duration_seconds",
    help: "Time from the head of a request until its answer is handed to the socket.",
    labelNames: ["method", "route", "status"],
    buckets: BUCKETS,
    registers: [registry],
  });
}
