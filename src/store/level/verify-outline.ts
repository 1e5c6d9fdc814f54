import type { OutlineId } from "../../core/node-key.ts";
import type { Seq } from "../../documents/log/outline-log.ts";
import { StoreError } from "../../documents/log/outline-log.ts";
import type { Entry, View } from "../database.ts";
import { garbageRanges, isIn } from "./garbage.ts";
import { readHeads } from "./heads.ts";
import type { KeyMeaning } from "../key-meaning.ts";
import { meaningOf, nameOf } from "../key-meaning.ts";
import { readSnapshotHeader } from "./level-records.ts";
import type { SnapshotHeader } from "../outline-records.ts";
import { isIntact, unlessDamaged, unsealCompressed } from "../record.ts";
import { isLevelCorruption } from "../store-failure.ts";
import type { StoreKeys } from "../store-keys.ts";

/** Something in the store that is not as it was written. */
export interface StoreFinding {
  readonly kind: "damaged" | "missing" | "stray";
  /** Absent for what belongs to no outline: users, keys, tokens. */
  readonly outline?: OutlineId;
  /** Which record, for people: `update 17`. */
  readonly record: string;
}

/** Reads every record of an outline, and tells what is damaged, missing or not its own. */
export async function verifyOutline(
  view: View,
  keys: StoreKeys,
  outline: OutlineId,
): Promise<readonly StoreFinding[]> {
  const head = (await readHeads(view, keys, [outline])).get(outline);
  // A damaged one is found once more, and reported, among the outline's records.
  const snapshot = await unlessDamaged(
    () => readSnapshotHeader(view, keys, outline),
    () => "damaged" as const,
  );
  const check = new OutlineCheck(outline, head instanceof StoreError ? "damaged" : head, snapshot);
  const garbage = await garbageRanges(view);
  try {
    for await (const page of view.entries(keys.outline(outline))) {
      for (const entry of page) {
        if (garbage.some((range) => isIn(entry.key, range))) continue;
        const meaning = meaningOf(entry.key);
        check.meet(meaning, await isReadable(entry, meaning));
      }
    }
  } catch (error) {
    if (!isLevelCorruption(error)) throw error;
    check.report("damaged", "a table of the database");
  }
  return check.findings();
}

async function isReadable({ key, value }: Entry, { kind }: KeyMeaning): Promise<boolean> {
  if (kind !== "part") return isIntact(key, value);
  const payload = await unlessDamaged(
    () => unsealCompressed(key, value),
    () => undefined,
  );
  return payload !== undefined;
}

/** Meets the records of an outline in the order of their keys. */
class OutlineCheck {
  readonly #outline: OutlineId;
  readonly #head: Seq | "damaged" | undefined;
  readonly #snapshot: SnapshotHeader | "damaged" | undefined;
  /** [Q2] */
  readonly #findings: StoreFinding[] = [];
  #parts = 0;
  #firstUpdate: Seq | undefined;
  #lastUpdate: Seq | undefined;

  constructor(
    outline: OutlineId,
    head: Seq | "damaged" | undefined,
    snapshot: SnapshotHeader | "damaged" | undefined,
  ) {
    this.#outline = outline;
    this.#head = head;
    this.#snapshot = snapshot;
    if (head === "damaged") this.report("damaged", "head");
  }

  report(kind: StoreFinding["kind"], record: string): void {
    this.#findings.push({ kind, outline: this.#outline, record });
  }

  meet(meaning: KeyMeaning, isIntact: boolean): void {
    if (!isIntact) this.report("damaged", nameOf(meaning));
    switch (meaning.kind) {
      case "part":
        return this.#meetPart(meaning);
      case "update":
        return this.#meetUpdate(meaning.seq);
      case "unknown":
        return this.report("stray", "a record of no known kind");
      default:
        return undefined;
    }
  }

  findings(): readonly StoreFinding[] {
    if (this.#snapshot !== "damaged") {
      const snapshot = this.#snapshot ?? { seq: 0, parts: 0 };
      this.#missingParts(snapshot, snapshot.parts);
      if (this.#firstUpdate !== undefined) this.#missingUpdates(snapshot.seq, this.#firstUpdate);
      if (typeof this.#head === "number") {
        this.#missingUpdates(this.#lastUpdate ?? snapshot.seq, this.#head + 1);
      }
    }
    if (typeof this.#head === "number" && (this.#lastUpdate ?? 0) > this.#head) {
      this.report("stray", `updates behind the head ${this.#head}`);
    }
    return this.#findings;
  }

  #meetPart(part: { readonly seq: Seq; readonly part: number }): void {
    const snapshot = this.#snapshot;
    if (snapshot === "damaged") return;
    if (snapshot === undefined || part.seq !== snapshot.seq || part.part >= snapshot.parts) {
      this.report("stray", nameOf({ kind: "part", outline: this.#outline, ...part }));
      return;
    }
    this.#missingParts(snapshot, part.part);
    this.#parts = part.part + 1;
  }

  #meetUpdate(seq: Seq): void {
    if (this.#lastUpdate === undefined) this.#firstUpdate = seq;
    else this.#missingUpdates(this.#lastUpdate, seq);
    this.#lastUpdate = seq;
  }

  #missingParts({ seq }: SnapshotHeader, end: number): void {
    for (let part = this.#parts; part < end; part += 1) {
      this.report("missing", nameOf({ kind: "part", outline: this.#outline, seq, part }));
    }
  }

  /** Those between two that are there. */
  #missingUpdates(before: Seq, behind: Seq): void {
    const [first, last] = [before + 1, behind - 1];
    if (first === last) this.report("missing", `update ${first}`);
    else if (first < last) this.report("missing", `updates ${first} to ${last}`);
  }
}
