import type { StoredReplica } from "../../../client/lib/store/replica-store.ts";
import type { Socket } from "../../../client/lib/connection/socket.ts";
import { CONFLICT_RULES } from "../../../src/core/tree/conflict-rules.ts";
import { ALL_REPAIR_STEPS } from "../../../src/core/merge/repair-steps.ts";
import type { TreeRow } from "../../../src/core/tree/tree-row.ts";
import type { OutlineLog } from "../../../src/documents/log/outline-log.ts";
import { decodeClientMessage } from "../../../src/protocol/decode-message.ts";
import { encodeMessage } from "../../../src/protocol/encode-message.ts";
import type { SyncDocuments } from "../../../src/sync/sync-document.ts";
import type { BrokenServer, RestAnswer } from "./server.ts";
import type { Broken } from "./world.ts";

/** What is broken on purpose, by name. */
export const BROKEN_VARIANTS = {
  "answers-before-the-commit": "the log says that a write is durable before it is",
  "forgets-its-outbox": "a device that starts again does not know what it has not sent",
  "rings-cut-anywhere": "rings are cut at their first member, on every replica",
  "does-not-broadcast": "what becomes durable is not passed on",
  "believes-every-clock":
    "the server does not note when things come, and believes times ahead of now",
  "answers-from-memory": "the API answers as it did when the same was asked for the first time",
  "resumes-too-far": "a device says that it has one update more than it has",
} as const;

/** Runs something with the parts that a control breaks; without a control with none. */
export async function withBroken<T>(
  control: string | undefined,
  run: (broken?: Broken) => Promise<T>,
): Promise<T> {
  switch (control) {
    case "answers-before-the-commit":
      return run({ server: { log: tooEarly } });
    case "forgets-its-outbox":
      return run({ device: { stored: (stored: StoredReplica) => ({ ...stored, outbox: [] }) } });
    case "does-not-broadcast":
      return run({ server: { documents: unheard } });
    case "answers-from-memory":
      return run({ server: { answer: asAtFirst() } });
    case "resumes-too-far":
      return run({ device: { socket: tooFar } });
    case "rings-cut-anywhere":
      return withRingsCutAnywhere(() => run({}));
    case "believes-every-clock":
      return withEveryClockBelieved(() => run({}));
    default:
      return run();
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

/** Every server takes the parts of its repair from here. */
async function withEveryClockBelieved<T>(run: () => Promise<T>): Promise<T> {
  const steps = { ...ALL_REPAIR_STEPS };
  Object.assign(ALL_REPAIR_STEPS, { recordArrivals: false, clampTimes: false });
  try {
    return await run();
  } finally {
    Object.assign(ALL_REPAIR_STEPS, steps);
  }
}

function tooEarly(log: OutlineLog): OutlineLog {
  const heads = new Map<string, number>();
  const append: OutlineLog["append"] = async (outline, what) => {
    const known = await log.extent(outline);
    const head = Math.max(heads.get(outline) ?? 0, known.head) + what.updates.length;
    heads.set(outline, head);
    log.append(outline, what).catch(() => undefined);
    return head;
  };
  return replacing(log, { append });
}

function asAtFirst(): NonNullable<BrokenServer["answer"]> {
  const kept = new Map<string, RestAnswer>();
  return (request, answer) => {
    if (!["retrieveNode", "exportNodes"].includes(request.operation)) return answer;
    const question = JSON.stringify([request.key, request.operation, request.id]);
    const first = kept.get(question) ?? answer;
    if (first.status === 200) kept.set(question, first);
    return first;
  };
}

function unheard(documents: SyncDocuments): SyncDocuments {
  return {
    open: (id) => documents.open(id),
    unopened: (id, isWanted) => documents.unopened(id, isWanted),
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
