import type { OutlineId } from "../../../../src/core/node-key.ts";
import type {
  Append,
  ClientHolder,
  Fence,
  LoadedOutline,
  Seq,
  Snapshot,
  Term,
} from "../../../../src/documents/log/outline-log.ts";
import { requireEpoch } from "../../../../src/store/log-checks.ts";
import { storeUnavailable } from "../../../../src/store/store-failure.ts";
import type { Member } from "../../../../src/store/postgres/member.ts";
import { notOwner } from "../../../../src/store/postgres/owners.ts";
import type { SqlValue, Statement } from "../../../../src/store/postgres/sql-session.ts";

interface ProcessRow {
  readonly id: number;
  readonly address: string;
  readonly takeoverMs: number;
  /** Since when all locks were free, when its own was taken. */
  readonly lockedIn: number;
  seenAt: number;
  leaving: boolean;
  outlines: number;
  isFull: boolean;
}

interface OutlineRow {
  term: Term;
  owner: number;
  /** Each with its number, from 1 on. */
  updates: Uint8Array[];
  bindings: Map<number, ClientHolder>;
  changes: Map<number, Uint8Array>;
  snapshot: Snapshot | undefined;
}

/** All that a server has on its disk. */
export interface Tables {
  epoch: string;
  epochOrdinal: number;
  /** Which history the epoch was begun in. */
  origin: number;
  nextProcess: number;
  processes: Map<number, ProcessRow>;
  outlines: Map<OutlineId, OutlineRow>;
}

/** What is left out, for a control. */
export interface DatabaseDefects {
  /** Whoever appends is believed. */
  readonly hasNoFence?: boolean;
  /** A free lock counts, whenever it was taken. */
  readonly believesFreeLocks?: boolean;
  /** A crash within the database is none. */
  readonly seesNoCrash?: boolean;
}

export interface Arrival {
  /** Of the connection that holds the lock. */
  readonly session: object;
  readonly before: number | undefined;
  readonly address: string;
  readonly takeoverMs: number;
}

/**
 * What the statements of `src/store/postgres` do, each at once and whole; the contract suite and the
 * tests of owners hold PostgreSQL itself to the same.
 */
export class SimulatedDatabase {
  tables: Tables = {
    epoch: "epoch 0",
    epochOrdinal: 0,
    origin: 0,
    nextProcess: 1,
    processes: new Map(),
    outlines: new Map(),
  };
  isUp = true;
  /** Tells one time since all locks were free from another, and one history. */
  start = 1;
  history = 0;
  readonly #now: () => number;
  readonly #defects: DatabaseDefects;
  /** By the process that has it. */
  readonly #locks = new Map<number, object>();

  /** @param now by the clock of its machine */
  constructor(now: () => number, defects: DatabaseDefects) {
    this.#now = now;
    this.#defects = defects;
  }

  /** As `join` of `joining.ts`. */
  join({ session, before, address, takeoverMs }: Arrival): Member {
    const { tables } = this;
    const { processes } = tables;
    for (const row of processes.values()) row.seenAt = Math.min(row.seenAt, this.#now());
    if (before !== undefined) processes.delete(before);
    const id = tables.nextProcess++;
    const fresh = { leaving: false, outlines: 0, isFull: true };
    const lockedIn = this.start;
    processes.set(id, { id, address, takeoverMs, lockedIn, seenAt: this.#now(), ...fresh });
    this.#locks.set(id, session);
    if (tables.origin !== this.history) {
      tables.origin = this.history;
      tables.epochOrdinal += 1;
      tables.epoch = `epoch ${this.history}`;
    }
    const { epoch, epochOrdinal } = tables;
    return { id, epoch, epochOrdinal, name: "simulated", secret: "" };
  }

  /** A statement of ownership, by its name. */
  answer(statement: Statement, values: readonly SqlValue[]): readonly object[] {
    const name = typeof statement === "string" ? statement : statement.name;
    const [first, second, third] = values;
    const { processes } = this.tables;
    switch (name) {
      case "beat":
        return this.#beat(first as number, {
          outlines: second as number,
          isFull: third as boolean,
        });
      case "claim":
        return (second as readonly OutlineId[]).flatMap((outline) => {
          const term = this.claim(first as number, outline, third as boolean);
          return term === undefined ? [] : [{ term }];
        });
      case "owner":
        return this.#ownerOf(Buffer.from(first as Uint8Array).toString("hex") as OutlineId);
      case "living":
        return (first as readonly number[]).flatMap((id) => (this.#lives(id) ? [{ id }] : []));
      case "release":
        this.#release(first as readonly OutlineId[], second as number, third as number);
        return [];
      case "leave": {
        const row = processes.get(first as number);
        if (row !== undefined) row.leaving = true;
        return [];
      }
      case "forget process":
        processes.delete(first as number);
        return [];
      case "revocations":
      case "heard":
        return [];
      default:
        throw new Error(`nobody knows the statement ${name}`);
    }
  }

  /** Undefined when another process that lives has it. */
  claim(id: number, outline: OutlineId, isForReplica: boolean): Term | undefined {
    const { processes, outlines } = this.tables;
    if (!processes.has(id)) return undefined;
    const row = outlines.get(outline);
    if (row === undefined) {
      outlines.set(outline, {
        term: 1,
        owner: id,
        updates: [],
        bindings: new Map(),
        changes: new Map(),
        snapshot: undefined,
      });
      return 1;
    }
    const isFree = row.owner === id ? isForReplica : !this.#lives(row.owner);
    if (!isFree) return undefined;
    row.owner = id;
    return ++row.term;
  }

  /** @throws StoreError `not_owner`, `store_unavailable` */
  append(member: Member, outline: OutlineId, append: Append): Seq {
    const row = this.#writable(member, outline, append);
    row.updates.push(...append.updates);
    for (const { client, holder } of append.bindings ?? []) row.bindings.set(client, holder);
    for (const last of append.changes?.removed ?? []) row.changes.delete(last);
    for (const { last, data } of append.changes?.added ?? []) row.changes.set(last, data);
    return row.updates.length;
  }

  /** @throws StoreError `not_owner`, `store_unavailable` */
  saveSnapshot(member: Member, outline: OutlineId, saved: Snapshot, fence: Fence): boolean {
    const row = this.#writable(member, outline, fence);
    if ((row.snapshot?.seq ?? 0) >= saved.seq) return false;
    row.snapshot = saved;
    return true;
  }

  load({ epoch, epochOrdinal }: Member, outline: OutlineId): LoadedOutline {
    const row = this.tables.outlines.get(outline);
    const common = { head: row?.updates.length ?? 0, epoch, epochOrdinal };
    if (row === undefined) return { ...common, updates: [], bindings: new Map(), lastChange: 0 };
    const { snapshot } = row;
    const from = snapshot?.seq ?? 0;
    const updates = row.updates.slice(from).map((update, at) => ({ seq: from + at + 1, update }));
    return {
      ...common,
      updates,
      bindings: new Map(row.bindings),
      lastChange: Math.max(0, ...row.changes.keys()),
      ...(snapshot && { snapshot: { ...snapshot, chunks: [...snapshot.chunks] } }),
    };
  }

  rowOf(outline: OutlineId): OutlineRow | undefined {
    return this.tables.outlines.get(outline);
  }

  /** Its lock is free. */
  endSession(session: object): void {
    for (const [id, holder] of this.#locks) if (holder === session) this.#locks.delete(id);
  }

  has(session: object): boolean {
    return [...this.#locks.values()].includes(session);
  }

  /** Whoever was connected has to connect again. */
  endAllSessions(): void {
    this.#locks.clear();
  }

  /** What a standby has that has just got everything. */
  copy(): Tables {
    const { processes, outlines, ...rest } = this.tables;
    return {
      ...rest,
      processes: new Map([...processes].map(([id, row]) => [id, { ...row }])),
      outlines: new Map(
        [...outlines].map(([id, row]) => [
          id,
          {
            ...row,
            updates: [...row.updates],
            bindings: new Map(row.bindings),
            changes: new Map(row.changes),
          },
        ]),
      ),
    };
  }

  #lives(id: number): boolean {
    const row = this.tables.processes.get(id);
    if (row === undefined || row.seenAt <= this.#now() - row.takeoverMs) return false;
    const isTold = this.#defects.believesFreeLocks === true || row.lockedIn === this.start;
    return !isTold || this.#locks.has(id);
  }

  #beat(id: number, load: { outlines: number; isFull: boolean }): readonly object[] {
    const { processes, epoch } = this.tables;
    const row = processes.get(id);
    if (row === undefined) return [];
    Object.assign(row, load, { seenAt: this.#now() });
    const others = [...processes.values()]
      .filter((each) => each !== row && !each.leaving && this.#lives(each.id))
      .filter(({ seenAt, takeoverMs }) => seenAt > this.#now() - takeoverMs / 2)
      .map((each) => ({ process: each.id, outlines: each.outlines, isFull: each.isFull }));
    return [{ epoch, revocation: 0, others }];
  }

  #ownerOf(outline: OutlineId): readonly object[] {
    const owner = this.tables.processes.get(this.rowOf(outline)?.owner ?? 0);
    if (owner === undefined) return [];
    const { id, address, leaving } = owner;
    return [{ process: id, address, leaving, lives: this.#lives(id) }];
  }

  #release(outlines: readonly OutlineId[], from: number, to: number): void {
    for (const outline of outlines) {
      const row = this.rowOf(outline);
      if (row?.owner === from) row.owner = this.tables.processes.has(to) ? to : 0;
    }
  }

  #writable({ id, epoch }: Member, outline: OutlineId, fence: Fence): OutlineRow {
    requireEpoch(outline, fence.epoch, epoch);
    const row = this.rowOf(outline);
    if (row === undefined) throw storeUnavailable(new Error("the outline is gone"));
    if (this.#defects.hasNoFence === true) return row;
    const isNewest = row.owner === id && row.term === fence.term;
    const isHistory = this.tables.epoch === epoch && this.tables.origin === this.history;
    if (!isNewest || !isHistory) throw notOwner(outline);
    return row;
  }
}
