import type { StoredReplica } from "../../client/lib/store/replica-store.ts";
import type { Socket } from "../../client/lib/connection/socket.ts";
import { CONFLICT_RULES } from "../../src/core/conflict-rules.ts";
import type { TreeRow } from "../../src/core/tree-row.ts";
import type { OutlineLog } from "../../src/documents/outline-log.ts";
import { decodeClientMessage } from "../../src/protocol/decode-message.ts";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import type { SyncDocuments } from "../../src/sync/sync-document.ts";
import { simulate } from "./simulation/simulate.ts";
import type { Broken, Counts } from "./simulation/world.ts";
import type { SoakRow } from "./soak-row.ts";

const OPERATIONS = 500;
/** Of every so many seeds one is run twice, to see that a seed stands for one run. */
const TWICE_EVERY = 50;

/** What must have happened in 15 seeds, or they have shown nothing; in proportion for more. */
const AT_LEAST_IN_15: Counts = {
  "requests done": 500,
  "requests refused: 503": 30,
  "requests without an answer": 2,
  "statuses saved": 500,
  "acknowledged updates": 600,
  connections: 700,
  "links hung": 80,
  "links cut": 80,
  "device crashes": 80,
  "server crashes": 60,
  "server crashes during a commit": 4,
  restarts: 15,
  "disk failing": 20,
  "disk slow": 8,
  "device disks failing": 20,
  "keys revoked": 10,
  "days slept": 8,
  compactions: 8,
  purges: 3,
  "second tabs": 15,
  clones: 2,
  "old copies brought back": 3,
  "refused: missing": 3,
  "replicas replaced": 2,
};

const CONTROLS = {
  "answers-before-the-commit": "the log says that a write is durable before it is",
  "forgets-its-outbox": "a device that starts again does not know what it has not sent",
  "rings-cut-anywhere": "rings are cut at their first member, on every replica",
  "does-not-broadcast": "what becomes durable is not passed on",
  "resumes-too-far": "a device says that it has one update more than it has",
} as const;

/** The whole system, in one process, on simulated time, network and disks. */
export const simulationRow: SoakRow = {
  name: "simulation",
  fault:
    "links, devices, disks and servers break, keys end, days pass, while all work on an outline",
  goal: "0 divergences; nothing promised is lost",
  unit: "seeds",
  full: 10_000,
  short: 15,
  budgetMs: 4 * 60 * 60_000,
  controls: CONTROLS,
  async run({ amount, seed, control, goesOn }) {
    const failures: string[] = [];
    const totals: Counts = {};
    let done = 0;
    for (; done < amount && goesOn(done); done++) {
      const result = await withBroken(control, (broken) =>
        simulate(seed + done, OPERATIONS, broken),
      );
      failures.push(...result.failures);
      for (const [what, times] of Object.entries(result.counts)) {
        totals[what] = (totals[what] ?? 0) + times;
      }
      // One that is found out is enough.
      if (control !== undefined && failures.length > 0) break;
      if (control === undefined && done % TWICE_EVERY === 0) {
        const again = await simulate(seed + done, OPERATIONS);
        if (again.digest !== result.digest) {
          failures.push(`seed ${seed + done}: another run of it went another way`);
        }
      }
    }
    if (control === undefined && done >= 15) failures.push(...whatWasTooRare(totals, done));
    return { done, failures, figures: totals };
  },
};

function whatWasTooRare(totals: Counts, seeds: number): readonly string[] {
  return Object.entries(AT_LEAST_IN_15).flatMap(([what, atLeast]) => {
    const times = totals[what] ?? 0;
    return times >= (atLeast * seeds) / 15 ? [] : [`too rare to show anything: ${what}, ${times}`];
  });
}

async function withBroken<T>(
  control: string | undefined,
  run: (broken: Broken) => Promise<T>,
): Promise<T> {
  switch (control) {
    case "answers-before-the-commit":
      return run({ server: { log: tooEarly } });
    case "forgets-its-outbox":
      return run({ device: { stored: (stored: StoredReplica) => ({ ...stored, outbox: [] }) } });
    case "does-not-broadcast":
      return run({ server: { documents: unheard } });
    case "resumes-too-far":
      return run({ device: { socket: tooFar } });
    case "rings-cut-anywhere":
      return withRingsCutAnywhere(() => run({}));
    default:
      return run({});
  }
}

/** Every replica takes its rules from here. */
async function withRingsCutAnywhere<T>(run: () => Promise<T>): Promise<T> {
  const rules = { ...CONFLICT_RULES };
  const cutOf = (ring: readonly TreeRow[]): TreeRow => {
    const [first] = ring;
    if (first === undefined) throw new Error("a ring has a member");
    return first;
  };
  Object.assign(CONFLICT_RULES, { cutOf });
  try {
    return await run();
  } finally {
    Object.assign(CONFLICT_RULES, rules);
  }
}

function tooEarly(log: OutlineLog): OutlineLog {
  const heads = new Map<string, number>();
  const append: OutlineLog["append"] = async (outline, what) => {
    const [known] = (await log.heads([outline])).values();
    const head = Math.max(heads.get(outline) ?? 0, known ?? 0) + what.updates.length;
    heads.set(outline, head);
    log.append(outline, what).catch(() => undefined);
    return head;
  };
  return replacing(log, { append });
}

function unheard(documents: SyncDocuments): SyncDocuments {
  return {
    open: (id) => documents.open(id),
    subscribe: (id, listener) =>
      documents.subscribe(id, {
        onDurable: () => undefined,
        onLost: (reason) => listener.onLost(reason),
      }),
  };
}

function tooFar(socket: Socket): Socket {
  return {
    close: () => socket.close(),
    send(bytes) {
      const message = decodeClientMessage(bytes);
      const isHello = message.kind === "hello" && message.seq > 0;
      socket.send(isHello ? encodeMessage({ ...message, seq: message.seq + 1 }) : bytes);
    },
  };
}

/** The same object with some methods replaced. */
function replacing<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, {
    get(target, name: keyof T & string) {
      const method: unknown = methods[name] ?? target[name];
      return typeof method === "function" ? method.bind(target) : method;
    },
  });
}
