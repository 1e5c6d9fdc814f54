import type { Metric, Registry } from "prom-client";

/** Upper bounds, in seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const NAME = "outline_http_request_duration_seconds";

interface Series {
  readonly labels: { readonly method: string; readonly route: string; readonly status: number };
  /** How many were in each bucket, not counting those in lower ones; the last is beyond all. */
  readonly counts: Float64Array;
  sum: number;
}

interface Value {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * Counts and times requests by method, route and status: a histogram as Prometheus knows it. The
 * library's own one hashes its labels at every observation, which a short request feels.
 */
export class RequestMetrics {
  /** By route, method and status. [Q19] */
  readonly #series = new Map<string, Map<string, Map<number, Series>>>();

  constructor(registry: Registry) {
    const metric = {
      name: NAME,
      help: "Time from the head of a request until its answer is handed to the socket.",
      type: "histogram",
      aggregator: "sum",
      get: async () => ({ ...metric, values: this.#values() }),
    };
    // All that the registry needs of a metric; its type wants one of the library's classes.
    registry.registerMetric(metric as unknown as Metric);
  }

  observe(method: string, route: string, status: number, durationMs: number): void {
    const series = this.#seriesOf(method, route, status);
    const seconds = durationMs / 1000;
    let bucket = 0;
    while (seconds > (BUCKETS[bucket] ?? Infinity)) bucket += 1;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += seconds;
  }

  #seriesOf(method: string, route: string, status: number): Series {
    const known = this.#series.get(route)?.get(method)?.get(status);
    if (known !== undefined) return known;
    const byMethod = this.#series.get(route) ?? new Map<string, Map<number, Series>>();
    const byStatus = byMethod.get(method) ?? new Map<number, Series>();
    const series = {
      labels: { method, route, status },
      counts: new Float64Array(BUCKETS.length + 1),
      sum: 0,
    };
    this.#series.set(route, byMethod);
    byMethod.set(method, byStatus);
    byStatus.set(status, series);
    return series;
  }

  #values(): readonly Value[] {
    const values: Value[] = [];
    for (const byMethod of this.#series.values()) {
      for (const byStatus of byMethod.values()) {
        for (const series of byStatus.values()) values.push(...valuesOf(series));
      }
    }
    return values;
  }
}

function* valuesOf({ labels, counts, sum }: Series): Generator<Value> {
  let total = 0;
  for (const [bucket, count] of counts.entries()) {
    total += count;
    const le = BUCKETS[bucket] ?? "+Inf";
    yield { metricName: `${NAME}_bucket`, labels: { le, ...labels }, value: total };
  }
  yield { metricName: `${NAME}_sum`, labels, value: sum };
  yield { metricName: `${NAME}_count`, labels, value: total };
}
