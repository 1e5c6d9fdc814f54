import { always, benchGroup, noGoal, type RowOf } from "../bench-group.ts";
import { benchClusterAppends, type ClusterAppends } from "../cluster-appends.ts";
import { benchClusterBytes, type ClusterBytes } from "../cluster-bytes.ts";
import { benchCatchUp, type CatchUpFigures } from "../cluster-catch-up.ts";
import { benchEdits, type EditsFigures } from "../cluster-edits.ts";
import { benchHop, type HopFigures } from "../cluster-hop.ts";
import { benchTakeover, type TakeoverFigures } from "../cluster-takeover.ts";
import { atLeast, atMost } from "../goal.ts";

interface Figures {
  readonly appends: readonly ClusterAppends[];
  readonly bytes: ClusterBytes;
  readonly edits: EditsFigures;
  readonly catchUp: CatchUpFigures;
  readonly hop: HopFigures;
  readonly takeover: TakeoverFigures;
}

type Row = RowOf<Figures>;

const LEVEL = "the store in LevelDB";
const BARE = "`pg` with the same gathering, into one table: no owners, numbers, heads or checksums";
const DATABASE = "The database shares the processor, and its own time is not in it.";

function appends(
  appenders: number,
  figure: "perSecond" | "cpuUs" | "p50Ms",
  floor: "level" | "bare",
  row: Omit<Row, "read" | "floor">,
): Row {
  return {
    ...row,
    floor: floor === "level" ? LEVEL : BARE,
    read({ appends: all }) {
      const found = all.find((each) => each.appenders === appenders)?.[figure];
      return found && { measured: found.postgres, floor: found[floor] };
    },
  };
}

function takeover(outlines: number, figure: "ms" | "cpuMs", row: Omit<Row, "read">): Row {
  return {
    ...row,
    read({ takeover: { takeovers } }) {
      const found = takeovers.find((each) => each.outlines === outlines);
      return found && { measured: found[figure] };
    },
  };
}

function edits(processes: number, figure: "perSecond" | "cpuUs", row: Omit<Row, "read">): Row {
  return {
    ...row,
    read({ edits: all }) {
      const found = all.find((each) => each.processes === processes);
      return found && { measured: found[figure] };
    },
  };
}

const absolute = { comparison: "absolute", goal: noGoal } as const;

/** What several processes on a database cost. Those by the clock count on a quiet machine only. */
export const CLUSTER_ROWS = benchGroup<Figures>({
  name: "cluster",
  title: "Several processes on PostgreSQL",
  sizes: [0],
  async measure() {
    const appended = await benchClusterAppends();
    const edits = await benchEdits();
    const catchUp = await benchCatchUp();
    return {
      appends: appended,
      bytes: await benchClusterBytes(),
      edits,
      catchUp,
      hop: await benchHop(),
      takeover: await benchTakeover(),
    };
  },
  rows: [
    ...[1, 64, 1000].flatMap((appenders) => {
      const many = appenders.toLocaleString("en");
      return [
        appends(appenders, "perSecond", "level", {
          id: `cluster-appends-${appenders}`,
          what: `durable appends, ${many} at once, by the clock`,
          unit: "a second",
          comparison: "rate",
          goal: appenders === 1000 ? always(atLeast(0.5)) : noGoal,
          limit: "Two statements a commit where heads are not known, one where they are.",
        }),
        appends(appenders, "perSecond", "bare", {
          id: `cluster-appends-bare-${appenders}`,
          what: `the same beside bare \`pg\`, by the clock`,
          unit: "a second",
          comparison: "rate",
          goal: noGoal,
          limit:
            "The owner, the term and the epoch are checked, and a row with the head is written.",
        }),
        appends(appenders, "cpuUs", "level", {
          id: `cluster-append-cpu-${appenders}`,
          what: `a durable append, ${many} at once, CPU of the process`,
          unit: "µs",
          comparison: "cost",
          goal: noGoal,
          limit: DATABASE,
        }),
        appends(appenders, "p50Ms", "level", {
          id: `cluster-append-p50-${appenders}`,
          what: `until an append is durable, ${many} at once, p50 by the clock`,
          unit: "ms",
          comparison: "cost",
          goal: noGoal,
          limit: "A round trip, and an fsync of the database.",
        }),
      ];
    }),
    {
      ...absolute,
      id: "stored-bytes",
      what: "stored in a database for an update of 40 bytes, with the index",
      unit: "bytes",
      goal: always(atMost(170)),
      limit: "A row has 24 bytes of the database's own, and the outline's id twice.",
      read: ({ bytes: { stored } }) => ({ measured: [stored] }),
    },
    {
      ...absolute,
      id: "wal-bytes",
      what: "written ahead for it",
      unit: "bytes",
      limit:
        "The row, its place in the index, and the outline's row; whole pages behind a checkpoint.",
      read: ({ bytes: { wal } }) => ({ measured: [wal] }),
    },
    ...[1, 2, 3].flatMap((processes) => {
      const by = processes === 1 ? "one process" : `${processes} processes`;
      return [
        edits(processes, "perSecond", {
          ...absolute,
          id: `cluster-edits-${processes}`,
          what: `small writes over HTTP to 192 outlines by way of ${by}, by the clock`,
          unit: "a second",
          limit: "The processes, the database and the clients share two cores.",
        }),
        edits(processes, "cpuUs", {
          ...absolute,
          id: `cluster-edit-cpu-${processes}`,
          what: `one of them, CPU of all processes`,
          unit: "µs",
          limit: "As one process: each outline is served by one.",
        }),
      ];
    }),
    {
      id: "catch-up",
      what: "opening an outline with 10,000 updates that no snapshot holds, by the clock",
      unit: "ms",
      comparison: "cost",
      goal: noGoal,
      floor: LEVEL,
      limit: "The updates are applied one by one; the database sends them in pages.",
      read: ({ catchUp: { ms } }) => ({ measured: ms.postgres, floor: ms.level }),
    },
    {
      id: "catch-up-cpu",
      what: "the same, CPU of the process",
      unit: "ms",
      comparison: "cost",
      goal: noGoal,
      floor: LEVEL,
      limit: DATABASE,
      read: ({ catchUp: { cpuMs } }) => ({ measured: cpuMs.postgres, floor: cpuMs.level }),
    },
    ...(["get", "post"] as const).flatMap((method): readonly Row[] => [
      {
        ...absolute,
        id: `hop-${method}-passing`,
        what: `a ${method.toUpperCase()} of a node by way of another process, CPU there`,
        unit: "µs",
        goal: always(atMost(60)),
        limit: "Two writes to sockets, which the kernel takes most of, and Node's server of HTTP.",
        read: ({ hop }) => ({ measured: hop[method].map(({ passingUs }) => passingUs) }),
      },
      {
        id: `hop-${method}-relay`,
        what: "the same",
        unit: "µs",
        comparison: "cost",
        goal: noGoal,
        floor: "a relay of bytes, which knows nobody and reads nothing of them",
        limit: "Whose request it is, where it belongs, and the head of the answer.",
        read: ({ hop }) => ({
          measured: hop[method].map(({ passingUs }) => passingUs),
          floor: hop[method].map(({ relayUs }) => relayUs),
        }),
      },
      {
        id: `hop-${method}-behind`,
        what: `the same, CPU of the owner`,
        unit: "µs",
        comparison: "cost",
        goal: noGoal,
        floor: "the same asked of the owner",
        limit: "The headers of the passing process are read and checked.",
        read: ({ hop }) => ({
          measured: hop[method].map(({ behindUs }) => behindUs),
          floor: hop[method].map(({ directUs }) => directUs),
        }),
      },
      {
        id: `hop-${method}-p50`,
        what: `the same, p50 of 16 at a time by the clock`,
        unit: "ms",
        comparison: "cost",
        goal: noGoal,
        floor: "the same asked of the owner",
        limit: "Both processes and the client share two cores.",
        read: ({ hop }) => ({
          measured: hop[method].map(({ passedP50Ms }) => passedP50Ms),
          floor: hop[method].map(({ directP50Ms }) => directP50Ms),
        }),
      },
    ]),
    {
      ...absolute,
      id: "hop-message",
      what: "an edit by a websocket that is passed on, and two clients told, CPU of the passing process",
      unit: "µs",
      limit: "Bytes that go from one socket to another, one write each.",
      read: ({ hop }) => ({ measured: hop.messageUs }),
    },
    ...[1, 100, 10_000].flatMap((outlines) => {
      const many = outlines.toLocaleString("en");
      return [
        takeover(outlines, "ms", {
          ...absolute,
          id: `takeover-${outlines}`,
          what: `taking over ${many} outlines that are asked for at once, by the clock`,
          unit: "ms",
          limit: "Two statements for each, six at a time.",
        }),
        takeover(outlines, "cpuMs", {
          ...absolute,
          id: `takeover-cpu-${outlines}`,
          what: `the same, CPU of the process`,
          unit: "ms",
          limit: "As above.",
        }),
      ];
    }),
    {
      id: "idle-owner",
      what: "a process that owns 100,000 outlines which nobody uses, CPU for each second",
      unit: "µs",
      comparison: "cost",
      goal: noGoal,
      floor: "one that owns none",
      limit: "Two heartbeats of the process; an outline has none.",
      read: ({ takeover: { idleUs } }) => ({ measured: idleUs.owning, floor: idleUs.empty }),
    },
    {
      ...absolute,
      id: "gap-killed",
      what: "until somebody acknowledges again when the owner is killed, by the clock",
      unit: "ms",
      goal: always(atMost(1000)),
      limit: "The lock of the process is free at once; the outline is loaded.",
      read: ({ takeover: { gapMs } }) => ({ measured: gapMs.killed }),
    },
    {
      ...absolute,
      id: "gap-stopped",
      what: "the same when the owner is stopped and gives its outlines away",
      unit: "ms",
      goal: always(atMost(1000)),
      limit: "An outline in use is given away and loaded elsewhere.",
      read: ({ takeover: { gapMs } }) => ({ measured: gapMs.stopped }),
    },
    {
      ...absolute,
      id: "gap-cut",
      what: "the same when its line to the database hangs",
      unit: "ms",
      goal: always(atMost(6000)),
      limit: "Others wait for 4.8 s since its last heartbeat.",
      read: ({ takeover: { gapMs } }) => ({ measured: gapMs.cut }),
    },
  ],
});
