import type { Case, Step } from "./gene.ts";
import { MemoryLook } from "./memory-look.ts";
import { helloFrame } from "./message-genes.ts";
import type { CostRequest } from "./request-genes.ts";
import type { CostClient, Site } from "./site.ts";
import { sayingsOf } from "./spoken-case.ts";
import { threadMs } from "./thread-ms.ts";
import { keyOf } from "./update-genes.ts";

/** What something cost, and the bytes that it is charged to. */
export interface Part {
  readonly what: string;
  readonly ms: number;
  readonly bytes: number;
}

export interface MeasuredCase {
  readonly sentBytes: number;
  /** For which memory is charged: those, and what nodes count. */
  readonly heldBytes: number;
  readonly parts: readonly Part[];
  readonly peakBytes: number;
  readonly retainedBytes: number;
}

/**
 * The first request for a day makes its month, which is one seed of 32 nodes everywhere: it counts as if
 * its sender had sent as much as a device at least has to send with a seed (Q43).
 */
const MONTH_BYTES = 1_250;
/**
 * A node takes its 2 KB however short its name is, which its outline's quota is charged for (Q61): each
 * counts as if it had been sent with a name as long as people's.
 */
const NODE_BYTES = 32;
/** Of a case. */
const MOST_MS = 20_000;
const MOST_ANSWERED = 16 * 2 ** 20;
/** What takes no longer is not looked at more closely. */
const LITTLE_MS = 3;
interface Timed {
  readonly ms: number;
  /** Bytes that are what was asked for, by how it was. */
  readonly answered: Readonly<Record<Step["channel"], number>>;
}

/** What is counted as if it were so long. */
const LEAST_BYTES = 1_024;

export function msPerKib({ ms, bytes }: Part): number {
  return ms / (Math.max(LEAST_BYTES, bytes) / 1_024);
}

/** Reads what a case has left behind. */
const READS: Readonly<Record<string, CostRequest>> = {
  "a look at a node": { method: "GET", path: `/api/v1/nodes/${keyOf(0)}` },
  "a list": { method: "GET", path: "/api/v1/nodes" },
  "a list below": { method: "GET", path: `/api/v1/nodes?parent_id=${keyOf(0)}` },
  "an export": { method: "GET", path: "/api/v1/nodes-export" },
  "the targets": { method: "GET", path: "/api/v1/targets" },
};
const RENAME = { method: "POST", path: `/api/v1/nodes/${keyOf(0)}`, body: '{"name":"renamed"}' };
/** Requests that have nothing to do with what was sent. */
const SMALL_WRITE = { method: "POST", path: "/api/v1/nodes", body: '{"name":"one more"}' };
const SMALL_READ = { method: "GET", path: "/api/v1/settings" };

interface MeasureOptions {
  /** Of all updates and texts of the case. */
  readonly maxBytes: number;
  /** Whether garbage is left out of the peak; then times mean nothing. */
  readonly isClose: boolean;
}

/**
 * Sends a case to the service, as a user of its own, and then what reads it: what does each of it cost?
 * What is answered counts as sent for who asks for it: it is charged to them all the same.
 */
export async function measureCase(
  site: Site,
  each: Case,
  { maxBytes, isClose }: MeasureOptions,
): Promise<MeasuredCase> {
  const client = await site.newClient();
  // Before anything is measured: making it takes memory of its own.
  const sayings = [...sayingsOf(each, maxBytes)];
  const memory = new MemoryLook(isClose);
  client.onLargeAnswer = () => memory.look();
  const timed = async (act: () => void, who = client): Promise<Timed> => {
    const { requests, sockets } = who.answered;
    const { overheadBytes } = site;
    const startedMs = threadMs();
    act();
    const actMs = threadMs() - startedMs;
    const ms = actMs + (await site.settled(() => memory.look()));
    const overhead = site.overheadBytes - overheadBytes;
    const answered = {
      requests: Math.max(0, who.answered.requests - requests - overhead),
      messages: who.answered.sockets - sockets,
      // What an update makes the server tell others is no answer.
      update: 0,
    };
    return { ms, answered };
  };
  const parts: Part[] = [];
  const sentBefore = client.sentBytes;

  const sending = { ms: 0, answered: 0 };
  for (const { channel, say } of sayings) {
    // It is known by then how dear it is.
    if (sending.ms > MOST_MS || sending.answered > MOST_ANSWERED) break;
    const { ms, answered } = await timed(() => say(client));
    sending.ms += ms;
    sending.answered += answered[channel];
  }
  const { all, months } = client.nodes;
  const sentBytes = client.sentBytes - sentBefore + months * MONTH_BYTES;
  const heldBytes = sentBytes + all * NODE_BYTES;
  parts.push({ what: "what was sent", ms: sending.ms, bytes: sentBytes + sending.answered });

  const ask = async (what: string, act: () => void, paidBytes = sentBytes): Promise<number> => {
    const { ms, answered } = await timed(act);
    const answeredBytes = Math.max(answered.requests, answered.messages);
    parts.push({ what, ms, bytes: Math.max(paidBytes, answeredBytes) });
    return ms;
  };
  for (const [what, request] of Object.entries(READS)) {
    const ms = await ask(what, () => client.request(request));
    // What was sent pays for one time.
    if (ms > LITTLE_MS) await ask(`${what}, again`, () => client.request(request), 0);
  }
  // It takes away what was sent.
  await ask("a rename", () => client.request(RENAME));
  await ask("a new device", () => client.connect(NEW_DEVICE));
  const tryAll = async (whose: string, who: CostClient): Promise<void> => {
    for (const request of [SMALL_WRITE, SMALL_READ]) {
      let { ms } = await timed(() => who.request(request), who);
      // What comes first after a case may have its garbage to collect.
      if (ms > LITTLE_MS) ms = Math.min(ms, (await timed(() => who.request(request), who)).ms);
      parts.push({ what: `${whose} next ${request.method}`, ms, bytes: 0 });
    }
  };
  await tryAll("the sender's", client);
  await tryAll("somebody else's", site.bystander);
  await ask("opening", () => {
    site.service.documents.evictAll("measured");
    client.request(SMALL_READ);
  });
  const { peak, retained } = memory.end();
  await client.remove();
  return { sentBytes, heldBytes, parts, peakBytes: peak, retainedBytes: retained };
}

/** What one of two measurements of a case took that disturbed the other; what only one looked at took little. */
export function leastOf(one: MeasuredCase, other: MeasuredCase): MeasuredCase {
  const parts = one.parts.flatMap((part) => {
    const same = other.parts.find(({ what }) => what === part.what);
    return same === undefined ? [] : [msPerKib(same) < msPerKib(part) ? same : part];
  });
  return { ...one, parts };
}

/** The part that was dearest for its bytes. */
export function dearestOf({ parts }: MeasuredCase): Part {
  return parts.reduce((one, other) => (msPerKib(other) > msPerKib(one) ? other : one));
}

const NEW_DEVICE = { frames: [helloFrame()], isDeaf: false, stays: true };
