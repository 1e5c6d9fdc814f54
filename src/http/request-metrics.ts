import { Histogram, type Registry } from "prom-client";

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Counts and times requests by method, route and status. */
export class RequestMetrics {
  readonly #durations: Histogram<"method" | "route" | "status">;

  constructor(registry: Registry) {
    this.#durations = new Histogram({
      name: "outline_http_request_duration_seconds",
      help: "Time from the head of a request to the end of its answer.",
      labelNames: ["method", "route", "status"],
      buckets: BUCKETS_S,
      registers: [registry],
    });
  }

  observe(method: string, route: string, status: number, durationMs: number): void {
    this.#durations.observe({ method, route, status }, durationMs / 1000);
  }
}
