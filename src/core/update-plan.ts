import * as encoding from "lib0/encoding";
import type { DeleteSection, StructRecord } from "./update-reader.ts";

/** Structs of one client that follow each other, where they stand in their source. */
export interface Run {
  readonly client: number;
  readonly source: Uint8Array;
  readonly structs: readonly StructRecord[];
  /** Indexes into `structs`: `[from, to)`. */
  readonly from: number;
  readonly to: number;
}

/**
 * What of an update is to be applied: structs in an order in which each one finds what it refers to,
 * and ranges that delete something.
 */
export interface UpdatePlan {
  readonly runs: readonly Run[];
  readonly deletes: readonly DeleteSection[];
}

/** The plan as one update. Structs are copied, not encoded again. */
export function encodePlan({ runs, deletes }: UpdatePlan): Uint8Array {
  const encoder = encoding.createEncoder();
  writeRuns(encoder, runs);
  writeDeletes(encoder, deletes);
  return encoding.toUint8Array(encoder);
}

/**
 * The plan as updates of at most `maxStructs` structs or delete ranges each. Applied one after the
 * other, none of them leaves anything pending.
 */
export function* encodePlanInParts(plan: UpdatePlan, maxStructs: number): Generator<Uint8Array> {
  let runs: Run[] = [];
  let count = 0;
  for (const run of plan.runs) {
    for (let from = run.from; from < run.to;) {
      const to = Math.min(run.to, from + maxStructs - count);
      runs.push({ ...run, from, to });
      count += to - from;
      from = to;
      if (count < maxStructs) continue;
      yield encodePlan({ runs, deletes: [] });
      runs = [];
      count = 0;
    }
  }
  if (runs.length > 0) yield encodePlan({ runs, deletes: [] });
  for (const { client, ranges } of plan.deletes) {
    for (let from = 0; from < ranges.length; from += 2 * maxStructs) {
      const part = ranges.slice(from, from + 2 * maxStructs);
      yield encodePlan({ runs: [], deletes: [{ client, ranges: part }] });
    }
  }
}

/** Structs and delete ranges in it: what applying it costs, more or less. */
export function sizeOfPlan({ runs, deletes }: UpdatePlan): number {
  let size = 0;
  for (const { from, to } of runs) size += to - from;
  for (const { ranges } of deletes) size += ranges.length / 2;
  return size;
}

/** One section for each client; its runs follow each other, whatever came between them. */
function writeRuns(encoder: encoding.Encoder, runs: readonly Run[]): void {
  const clients = new Map<number, Run[]>();
  for (const run of runs) {
    const own = clients.get(run.client);
    if (own === undefined) clients.set(run.client, [run]);
    else own.push(run);
  }
  encoding.writeVarUint(encoder, clients.size);
  for (const [client, own] of clients) {
    encoding.writeVarUint(
      encoder,
      own.reduce((count, { from, to }) => count + to - from, 0),
    );
    encoding.writeVarUint(encoder, client);
    encoding.writeVarUint(encoder, own[0]?.structs[own[0].from]?.clock ?? 0);
    for (const { source, structs, from, to } of own) {
      encoding.writeUint8Array(
        encoder,
        source.subarray(structs[from]?.start ?? 0, structs[to - 1]?.end ?? 0),
      );
    }
  }
}

function writeDeletes(encoder: encoding.Encoder, deletes: readonly DeleteSection[]): void {
  encoding.writeVarUint(encoder, deletes.length);
  for (const { client, ranges } of deletes) {
    encoding.writeVarUint(encoder, client);
    encoding.writeVarUint(encoder, ranges.length / 2);
    for (const number of ranges) encoding.writeVarUint(encoder, number);
  }
}
