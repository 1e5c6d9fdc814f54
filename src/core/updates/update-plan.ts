import * as encoding from "lib0/encoding";
import type * as Y from "yjs";
import { structsIn, typeOf } from "../yjs/structs-in.ts";
import type { DeleteSection, StructRecord } from "./update-reader.ts";
import { clockOf, indexOf, structAt, structsOf } from "../yjs/struct-store.ts";

/** So many structs are moved in an array in the time that it takes to apply one. */
const CUT_AT_ONCE = 16_384;

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
 * The plan as updates each of which is at most as much work as applying `most` structs. Applied one
 * after the other, none of them leaves anything pending.
 * @param doc to which each part is applied before the next is taken
 */
export function* encodePlanInParts(
  plan: UpdatePlan,
  most: number,
  doc: Y.Doc,
): Generator<Uint8Array> {
  let runs: Run[] = [];
  let work = 0;
  for (const run of plan.runs) {
    let { from } = run;
    for (const [offset, struct] of run.structs.slice(run.from, run.to).entries()) {
      work += workOfStruct(doc, struct);
      if (work < most) continue;
      const to = run.from + offset + 1;
      yield encodePlan({ runs: [...runs, { ...run, from, to }], deletes: [] });
      runs = [];
      work = 0;
      from = to;
    }
    if (from < run.to) runs.push({ ...run, from });
  }
  if (runs.length > 0) yield encodePlan({ runs, deletes: [] });
  yield* deletesInParts(plan, most, doc);
}

/** A range of one struct may hold a million characters, and one of a million structs takes four bytes. */
function* deletesInParts({ deletes }: UpdatePlan, most: number, doc: Y.Doc): Generator<Uint8Array> {
  let sections: DeleteSection[] = [];
  let work = 0;
  for (const { client, ranges } of deletes) {
    let own: number[] = [];
    const workOfEnds = 2 * workOfCut(doc, client);
    for (let at = 0; at < ranges.length; at += 2) {
      let clock = ranges[at] ?? 0;
      for (let left = ranges[at + 1] ?? 0; left > 0;) {
        const part = firstStructs(doc, client, { clock, length: left }, most - work);
        own.push(clock, part.length);
        clock += part.length;
        left -= part.length;
        work += part.structs + workOfEnds;
        if (work < most) continue;
        yield encodePlan({ runs: [], deletes: [...sections, { client, ranges: own }] });
        sections = [];
        own = [];
        work = 0;
      }
    }
    if (own.length > 0) sections.push({ client, ranges: own });
  }
  if (sections.length > 0) yield encodePlan({ runs: [], deletes: sections });
}

/** What applying a struct costs, compared with one that goes behind or before another. */
function workOfStruct(doc: Y.Doc, { origin, rightOrigin }: StructRecord): number {
  let work = 1;
  if (origin !== undefined && isCutAt(doc, origin.client, origin.clock + 1)) {
    work += workOfCut(doc, origin.client);
  }
  if (rightOrigin !== undefined && isCutAt(doc, rightOrigin.client, rightOrigin.clock)) {
    work += workOfCut(doc, rightOrigin.client);
  }
  return work;
}

/**
 * What it costs to cut one of a client's structs in two, or to merge two of them: Yjs moves all that
 * follow in the array.
 */
export function workOfCut(doc: Y.Doc, client: number): number {
  return structsOf(doc, client).length / CUT_AT_ONCE;
}

/** Whether a struct has to be cut so that something can stand before a clock. */
function isCutAt(doc: Y.Doc, client: number, clock: number): boolean {
  const struct = structAt(doc, client, clock);
  return struct !== undefined && struct.id.clock !== clock;
}

/**
 * Of a range that a document has, as much as `most` structs are, with what is in them, and how many
 * that is: one struct at least.
 */
function firstStructs(
  doc: Y.Doc,
  client: number,
  { clock, length }: { readonly clock: number; readonly length: number },
  most: number,
): { readonly length: number; readonly structs: number } {
  const structs = structsOf(doc, client);
  let count = 0;
  let end = clock;
  for (let at = indexOf(structs, clock); count < most && end < clock + length; at++) {
    const struct = structs[at];
    if (struct === undefined) return { length, structs: count };
    count += 1 + structsIn(typeOf(struct));
    end = struct.id.clock + struct.length;
  }
  return { length: Math.min(end - clock, length), structs: count };
}

export function isEmptyPlan({ runs, deletes }: UpdatePlan): boolean {
  return runs.length === 0 && deletes.length === 0;
}

/** How many structs are new. */
export function countStructs(runs: readonly Run[]): number {
  return runs.reduce((count, { from, to }) => count + to - from, 0);
}

/** Whether it adds and deletes more structs of a document than `most`: what applying it costs. */
export function isLargePlan({ runs, deletes }: UpdatePlan, most: number, doc: Y.Doc): boolean {
  let count = countStructs(runs);
  for (const { client, ranges } of deletes) {
    const known = clockOf(doc, client);
    for (let at = 0; at < ranges.length && count <= most; at += 2) {
      const clock = ranges[at] ?? 0;
      // What comes with the update itself is counted already.
      const length = Math.min(ranges[at + 1] ?? 0, known - clock);
      count += length <= 0 ? 1 : firstStructs(doc, client, { clock, length }, most + 1).structs;
    }
  }
  return count > most;
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
