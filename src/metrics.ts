import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { DocumentEvents } from "./documents/document-events.ts";
import type { ThreadEvents } from "./thread-watch.ts";
import type { StoreEvents } from "./store/store-events.ts";
import type { SyncEvents } from "./sync/sync-events.ts";

const COMMIT_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

const WORK_BUCKETS_S = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

/** What is asked for whenever somebody reads the metrics. */
export interface MetricSources {
  sessions(): number;
  /** Connections for requests. */
  connections(): number;
  /** Of a process beside others; undefined where it has all outlines. */
  places(): PlacesFigures | undefined;
  documents(): { readonly open: number; readonly bytes: number };
  /** What is held for clients, and how often some of it had to be given up. */
  held(): { readonly bytes: number; readonly givenUp: number };
}

interface PlacesFigures {
  /** Outlines of this process. */
  readonly owned: number;
  readonly processes: number;
  readonly heartbeatMs: number;
}

/** The numbers that `/metrics` shows, beside those of requests, which the HTTP side counts itself. */
export class Metrics {
  readonly registry = new Registry();
  readonly storeEvents: StoreEvents;
  readonly syncEvents: SyncEvents;
  readonly documentEvents: DocumentEvents;
  readonly threadEvents: ThreadEvents;
  readonly clusterEvents: ClusterEvents;

  constructor() {
    const { registry } = this;
    const registers = [registry];
    collectDefaultMetrics({ register: registry });
    this.storeEvents = storeEvents(registers);
    this.syncEvents = syncEvents(registers);
    this.documentEvents = documentEvents(registers);
    this.threadEvents = threadEvents(registers);
    this.clusterEvents = clusterEvents(registers);
  }

  /** To be called once, when the parts are there. */
  watch(sources: MetricSources): void {
    const registers = [this.registry];
    const gauge = (name: string, help: string, value: () => number): void => {
      void new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(value());
        },
      });
    };
    gauge("outline_sync_sessions", "Open websockets.", () => sources.sessions());
    gauge("outline_documents_open", "Outlines in memory.", () => sources.documents().open);
    gauge("outline_http_connections", "Open connections for requests.", () =>
      sources.connections(),
    );
    if (sources.places() !== undefined) {
      const figure = (of: keyof PlacesFigures) => (): number => sources.places()?.[of] ?? 0;
      const heartbeatMs = figure("heartbeatMs");
      gauge(
        "outline_owned_outlines",
        "Outlines that this process was asked for and serves, of several processes.",
        figure("owned"),
      );
      gauge(
        "outline_processes",
        "Processes that serve the database beside each other, with this one.",
        figure("processes"),
      );
      gauge(
        "outline_heartbeat_seconds",
        "Time of the last heartbeat until the database, and a synchronous standby, had it.",
        () => heartbeatMs() / 1000,
      );
    }
    gauge(
      "outline_documents_bytes",
      "Estimated memory of the outlines in memory.",
      () => sources.documents().bytes,
    );
    gauge(
      "outline_held_bytes",
      "Memory that is held for clients: bodies, messages and answers on their way.",
      () => sources.held().bytes,
    );
    void new Counter({
      name: "outline_held_given_up_total",
      help: "Times that something held for a client was given up for want of memory.",
      registers,
      collect() {
        this.reset();
        this.inc(sources.held().givenUp);
      },
    });
  }
}

function storeEvents(registers: Registry[]): StoreEvents {
  const durations = new Histogram({
    name: "outline_log_commit_duration_seconds",
    help: "Time of a group commit until it is on stable storage.",
    buckets: COMMIT_BUCKETS_S,
    registers,
  });
  const writes = new Counter({
    name: "outline_log_writes_total",
    help: "Writes that shared the commits.",
    registers,
  });
  const refusals = new Counter({
    name: "outline_log_not_owner_total",
    help: "Writes that were refused because another process has claimed the outline.",
    registers,
  });
  const taken = new Counter({
    name: "outline_taken_outlines_total",
    help: "Outlines that no process served and this one took, of several processes.",
    registers,
  });
  const failures = new Counter({
    name: "outline_log_failures_total",
    help: "Commits that the disk refused.",
    registers,
  });
  return {
    onCommit: (statistics) => {
      durations.observe(statistics.durationMs / 1000);
      writes.inc(statistics.writes);
    },
    onFailure: () => failures.inc(),
    onRefused: () => refusals.inc(),
    onTaken: () => taken.inc(),
  };
}

function documentEvents(registers: Registry[]): DocumentEvents {
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name: `outline_document_${name}_seconds`, help, buckets, registers });
  const appends = histogram(
    "append",
    "Time from a change of an outline until it is durable.",
    COMMIT_BUCKETS_S,
  );
  const loads = histogram("load", "Time to load an outline.", WORK_BUCKETS_S);
  const compactions = histogram("compaction", "Time to write a snapshot.", WORK_BUCKETS_S);
  const evictions = new Counter({
    name: "outline_document_evictions_total",
    help: "Outlines that left the memory.",
    labelNames: ["reason"],
    registers,
  });
  const handedIn = new Counter({
    name: "outline_document_handed_in_updates_total",
    help: "Updates that a store had confirmed and lost, and that this process has handed in again.",
    labelNames: ["outcome"],
    registers,
  });
  const purged = new Counter({
    name: "outline_document_purged_nodes_total",
    help: "Deleted nodes that were removed for good.",
    registers,
  });
  return {
    onCommit: (latencyMs) => appends.observe(latencyMs / 1000),
    onLoad: (ms) => loads.observe(ms / 1000),
    onEvict: (reason) => evictions.inc({ reason }),
    onCompaction: (ms) => compactions.observe(ms / 1000),
    onPurge: (_ms, nodes) => purged.inc(nodes),
    onHandedIn: (_outline, { updates, refused }) => {
      handedIn.inc({ outcome: "taken" }, updates);
      handedIn.inc({ outcome: "refused" }, refused);
    },
  };
}

interface ClusterEvents {
  readonly onPassed: (kind: "request" | "websocket") => void;
}

function clusterEvents(registers: Registry[]): ClusterEvents {
  const passed = new Counter({
    name: "outline_passed_total",
    help: "Requests and websockets that another process of the service answers.",
    labelNames: ["kind"],
    registers,
  });
  return { onPassed: (kind) => passed.inc({ kind }) };
}

function threadEvents(registers: Registry[]): Required<ThreadEvents> {
  const longTurns = new Counter({
    name: "outline_long_turns_total",
    help: "Turns of the event loop that took over a second, by what was done, and pauses.",
    labelNames: ["kind"],
    registers,
  });
  let longestMs = 0;
  void new Gauge({
    name: "outline_longest_turn_seconds",
    help: "The longest of them since the start, pauses left out.",
    registers,
    collect() {
      this.set(longestMs / 1000);
    },
  });
  return {
    onLongTurn({ kind, tookMs }) {
      longTurns.inc({ kind });
      longestMs = Math.max(longestMs, tookMs);
    },
    onPause: () => longTurns.inc({ kind: "pause" }),
  };
}

function syncEvents(registers: Registry[]): SyncEvents {
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name: `outline_sync_${name}_total`, help, labelNames, registers });
  const opened = counter("opened", "Websockets opened.", ["dialect"]);
  const closed = counter("closed", "Websockets closed.", ["dialect", "code"]);
  const rejected = counter("rejected", "Websocket requests that were refused.", ["code"]);
  const refused = counter("refused", "Updates that were not applied.", ["code"]);
  const behind = counter("behind", "Times that a client read too slowly and had to catch up.");
  return {
    onOpened: (dialect) => opened.inc({ dialect }),
    onClosed: (dialect, code) => closed.inc({ dialect, code }),
    onRejected: (code) => rejected.inc({ code }),
    onRefused: (code) => refused.inc({ code }),
    onFellBehind: () => behind.inc(),
  };
}
