import type * as Y from "yjs";
import { isSeedClient, seedOfClient } from "../calendar/month-seed.ts";
import type { OutlineFull } from "../room/outline-full.ts";
import { entryOf } from "../schema.ts";
import { inOneGo } from "../in-one-go.ts";
import { ConflictCost } from "./update-conflicts.ts";
import { contradicts } from "./update-contradiction.ts";
import { newDeletes } from "./update-deletes.ts";
import { AddedEntries } from "./update-entries.ts";
import { AddedFormats } from "./update-formats.ts";
import { AddedLengths } from "./update-lengths.ts";
import { DEFAULT_UPDATE_LIMITS, type UpdateLimits } from "./update-limits.ts";
import { orderRuns } from "./update-order.ts";
import {
  GONE,
  ImpossibleStruct,
  isSharedType,
  PlaceFinder,
  type Incoming,
  type ListPlace,
} from "./update-places.ts";
import { countStructs as countNew, type UpdatePlan } from "./update-plan.ts";
import { fullOfSeeds } from "../room/seed-limit.ts";
import { StrayTexts, type StrayText } from "./stray-texts.ts";
import {
  readUpdate,
  type DecodedUpdate,
  type DeleteSection,
  type StructRecord,
  type StructSection,
} from "./update-reader.ts";
import { isAllowed } from "./update-schema.ts";
import { UpdateUnreadable } from "./update-unreadable.ts";
import { clientsOf, clockOf, structsOf } from "../yjs/struct-store.ts";

/** Seeds that one update may bring: making the bytes of one takes some 0.2 ms. */
const MAX_SEEDS = 200;
/**
 * Bytes of seeds for each byte of the update that brings them. Who has a seed sends all of it, but for
 * one that is cut where a large update ends; a stub of nine bytes would bring 5 KB and a month's nodes.
 */
const SEED_BYTES_PER_BYTE = 4;

/** Structs that are placed in a step, or steps between those of others. */
const STEP = 256;
/** Places that are only looked at in a step. */
const LOOKS = 4096;

/**
 * Why an update is refused. Stable codes, told to clients.
 * - `malformed`: bytes that no Yjs client writes, or structs that refer to each other in a way that
 *   none makes
 * - `too_large`: more bytes, structs, ranges, text or conflicts than the limits allow
 * - `not_allowed`: content that has no place in an outline
 * - `conflict`: it says something else than the document under the same ids
 */
export type UpdateRefusal = "malformed" | "too_large" | "not_allowed" | "conflict";

/** What a client adds: the clocks `[from, to)`, none of which the document has. */
export interface ClientRange {
  readonly client: number;
  readonly from: number;
  readonly to: number;
}

export type Inspection =
  | {
      readonly kind: "ok";
      /** Whose structs are new, seeds left out: who sends them must be allowed to. */
      readonly clients: readonly ClientRange[];
      /** Whose structs it has, new or not, seeds left out. */
      readonly saysOf: readonly number[];
      /** Only what is new to the document; empty for an update that says nothing new. */
      readonly plan: UpdatePlan;
      /** The update itself, when all of it is new: as good as the encoded plan. */
      readonly whole: Uint8Array | undefined;
      /** What it deletes that the document has deleted already. */
      readonly deletedAgain: readonly DeleteSection[];
      /**
       * Whose records of arrivals it brings: only what the server has lost may be brought back.
       */
      readonly recordsOf: readonly number[];
      /**
       * Whether it makes a text for a node that has one, without knowing of it: Yjs keeps one of the
       * two, with nothing of what was written into the other.
       */
      readonly displacesNode: boolean;
      /** Text that goes nowhere, because what it was typed into has been removed. */
      readonly strayTexts: readonly StrayText[];
    }
  /** It builds on structs that the document does not have. */
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly reason: UpdateRefusal }
  | OutlineFull;

const MISSING: Inspection = { kind: "missing" };

/**
 * Decides whether an update may be applied, before the document is touched and without changing it.
 * After "ok", applying the plan leaves nothing pending and throws nowhere. Never throws; linear in
 * the update's bytes, besides bounded walks over concurrent structs.
 *
 * Structs and deletions that the document has already are passed over: clients that reconnect send
 * them again, also those of others. Seeds are replaced by the bytes that this code makes itself, so
 * nobody can slip something else in under their client ids.
 *
 * In steps of a millisecond or less, however large the update is. What it says is true of the document
 * as it was all the while: it must not be changed between the steps, nor before the plan is applied.
 */
export function* inspectInSteps(
  doc: Y.Doc,
  update: Uint8Array,
  limits: UpdateLimits = DEFAULT_UPDATE_LIMITS,
): Generator<void, Inspection> {
  if (update.byteLength > limits.maxBytes) return refused("too_large");
  const decoded = yield* decode(doc, update, limits);
  if ("kind" in decoded) return decoded;
  if (yield* contradicts(doc, decoded.sections)) return refused("conflict");
  const incoming = yield* incomingOf(doc, decoded.sections, update.byteLength);
  if ("kind" in incoming) return incoming;
  if (!deletesOnlyKnown(doc, incoming, decoded.deletes)) return MISSING;
  const runs = yield* orderRuns(doc, incoming);
  if (runs === undefined) return MISSING;
  const strays = new StrayTexts();
  const plan = { runs, deletes: decoded.deletes };
  const refusal = yield* refusalOf(doc, incoming, plan, limits, strays);
  if (refusal !== undefined) return typeof refusal === "string" ? refused(refusal) : refusal;

  const { fresh: deletes, again } = yield* newDeletes(doc, decoded.deletes);
  const clients: ClientRange[] = [];
  for (const { client, known, end, isSeed } of incoming.values()) {
    if (!isSeed) clients.push({ client, from: known, to: end });
  }
  const isWhole =
    isAllNew(decoded.sections, incoming) && countRanges(deletes) === countRanges(decoded.deletes);
  const whole = isWhole ? update : undefined;
  return {
    kind: "ok",
    clients,
    saysOf: decoded.sections.map(({ client }) => client).filter((client) => !isSeedClient(client)),
    plan: { runs, deletes },
    deletedAgain: again,
    whole,
    recordsOf: yield* recordsOf(incoming),
    displacesNode: yield* displacesNode(incoming),
    strayTexts: yield* strays.without(decoded.deletes),
  };
}

function refused(reason: UpdateRefusal): Inspection {
  return { kind: "refused", reason };
}

function* decode(
  doc: Y.Doc,
  update: Uint8Array,
  { maxStructs, maxSpareDeleteRanges }: UpdateLimits,
): Generator<void, DecodedUpdate | Inspection> {
  try {
    return yield* readUpdate(update, {
      maxStructs,
      maxDeleteRanges: () => countStructs(doc) + maxSpareDeleteRanges,
    });
  } catch (error) {
    // Whatever else the readers of numbers, texts and JSON throw says the same.
    return refused(error instanceof UpdateUnreadable ? error.reason : "malformed");
  }
}

function countStructs(doc: Y.Doc): number {
  let count = 0;
  for (const client of clientsOf(doc)) count += structsOf(doc, client).length;
  return count;
}

/** What is new of each section; `missing` when something before it is not there. */
function* incomingOf(
  doc: Y.Doc,
  sections: readonly StructSection[],
  sentBytes: number,
): Generator<void, Map<number, Incoming> | Inspection> {
  let newSeeds = 0;
  const incoming = new Map<number, Incoming>();
  let seedCount = 0;
  let seedBytes = 0;
  for (const [index, sent] of sections.entries()) {
    if (index % LOOKS === LOOKS - 1) yield;
    const known = clockOf(doc, sent.client);
    const sentEnd = endOf(sent.structs);
    if (sentEnd <= known) continue;
    const seed = isSeedClient(sent.client) ? seedSection(sent.client) : undefined;
    if (seed === "none") return refused("not_allowed");
    if (seed !== undefined) {
      if (seedCount > 0) yield;
      seedBytes += seed.source.byteLength;
      if (++seedCount > MAX_SEEDS || seedBytes > SEED_BYTES_PER_BYTE * sentBytes) {
        return refused("too_large");
      }
      if (known === 0) newSeeds++;
    }
    const section = seed ?? sent;
    const end = endOf(section.structs);
    if (sentEnd > end) return refused("not_allowed");
    if ((section.structs[0]?.clock ?? 0) > known) return MISSING;
    let first = 0;
    for (const struct of section.structs) {
      if (struct.clock + struct.length > known) break;
      first++;
    }
    // A hole among what is known hides nothing; behind that, something is not there.
    for (let index = first; index < section.structs.length; index++) {
      if (section.structs[index]?.content.kind === "skip") return MISSING;
    }
    incoming.set(sent.client, {
      client: section.client,
      source: section.source,
      structs: section.structs,
      known,
      end,
      first,
      places: [],
      isSeed: seed !== undefined,
    });
  }
  return fullOfSeeds(doc, newSeeds) ?? incoming;
}

function endOf(structs: readonly StructRecord[]): number {
  const last = structs.at(-1);
  return last === undefined ? 0 : last.clock + last.length;
}

/** The seed that writes under a client id; "none" for ids that are kept for seeds and have none. */
function seedSection(client: number): StructSection | "none" {
  const seed = seedOfClient(client);
  if (seed === undefined) return "none";
  const unlimited = { maxStructs: Infinity, maxDeleteRanges: () => Infinity };
  return inOneGo(readUpdate(seed, unlimited)).sections[0] ?? "none";
}

/** Whether everything that is to be deleted is known once the new structs are there. */
function deletesOnlyKnown(
  doc: Y.Doc,
  incoming: ReadonlyMap<number, Incoming>,
  deletes: readonly DeleteSection[],
): boolean {
  return deletes.every(({ client, ranges }) => {
    const end = (ranges.at(-2) ?? 0) + (ranges.at(-1) ?? 0);
    return end <= (incoming.get(client)?.end ?? clockOf(doc, client));
  });
}

/**
 * Places every new struct and holds it to the schema and the limits.
 * @param strays gets the text that goes nowhere
 */
function* refusalOf(
  doc: Y.Doc,
  incoming: ReadonlyMap<number, Incoming>,
  { runs, deletes }: UpdatePlan,
  limits: UpdateLimits,
  strays: StrayTexts,
): Generator<void, UpdateRefusal | OutlineFull | undefined> {
  const places = new PlaceFinder(doc, incoming);
  const isRemembering = countNew(runs) > 1;
  const cost = new ConflictCost(places, limits, { isRemembering });
  const lengths = new AddedLengths(places, limits);
  const entries = new AddedEntries(doc);
  const formats = new AddedFormats(doc, deletes, limits.maxFormatMarks);
  let placed = 0;
  let yieldAt = STEP;
  try {
    for (const { client, structs, from, to } of runs) {
      const section = incoming.get(client);
      if (section === undefined) continue;
      for (let index = from; index < to; index++) {
        const struct = structs[index];
        if (struct === undefined) continue;
        const place = placeOf(places, struct, section);
        section.places.push(place);
        if (!section.isSeed && !isAllowed(place.list, place.sub, struct)) return "not_allowed";
        const placing = cost.place(struct, place);
        if (placing === "disordered") return "malformed";
        if (placing === "too_far" || !lengths.add(struct, place)) return "too_large";
        const full = entries.add(struct, place);
        if (full !== undefined) return full;
        if (place.list === "gone" && struct.content.kind === "text") {
          strays.add(struct, section, index);
        }
        if (struct.content.kind === "format") {
          const excess = yield* formats.add(struct, place);
          if (excess !== undefined) return excess;
        }
        placed++;
        // A struct among thousands of others is as much work as many steps.
        for (; placed + cost.steps >= yieldAt; yieldAt += STEP) yield;
      }
    }
  } catch (error) {
    if (error instanceof ImpossibleStruct) return "malformed";
    throw error;
  }
  return yield* formats.finish();
}

/** Collected structs go nowhere; one that is known in part goes where that part is. */
function placeOf(places: PlaceFinder, struct: StructRecord, { known }: Incoming): ListPlace {
  if (struct.content.kind === "gc") return GONE;
  const place = places.placeOf(struct);
  if (struct.clock >= known) return place;
  const before = places.placeAt({ client: struct.client, clock: known - 1 });
  if (before.owner !== place.owner || before.sub !== place.sub) throw new ImpossibleStruct("split");
  return place;
}

function* recordsOf(incoming: ReadonlyMap<number, Incoming>): Generator<void, readonly number[]> {
  const clients = new Set<number>();
  let looks = 0;
  for (const { client, places, structs, first } of incoming.values()) {
    for (const [index, { list }] of places.entries()) {
      if (list === "clk" && structs[first + index]?.content.kind === "binary") clients.add(client);
      if (++looks % LOOKS === 0) yield;
    }
  }
  return [...clients];
}

function* displacesNode(incoming: ReadonlyMap<number, Incoming>): Generator<void, boolean> {
  let looks = 0;
  for (const { places, structs, first } of incoming.values()) {
    for (const [index, { list, owner, sub }] of places.entries()) {
      if (++looks % LOOKS === 0) yield;
      if (list !== "nodes" || sub === null || owner === undefined || !isSharedType(owner)) continue;
      const struct = structs[first + index];
      const isNew = struct?.content.kind === "type" && struct.origin === undefined;
      if (isNew && entryOf(owner, sub) !== undefined) return true;
    }
  }
  return false;
}

function isAllNew(
  sections: readonly StructSection[],
  incoming: ReadonlyMap<number, Incoming>,
): boolean {
  return sections.every(({ client, structs }) => {
    const section = incoming.get(client);
    return section?.structs === structs && section.first === 0;
  });
}

function countRanges(deletes: readonly DeleteSection[]): number {
  return deletes.reduce((count, { ranges }) => count + ranges.length, 0);
}
