import { type OutlineLog, StoreError } from "../../../../src/documents/log/outline-log.ts";
import type { OutlineId } from "../../../../src/core/node-key.ts";
import type { Member } from "../../../../src/store/postgres/member.ts";
import type { Membership } from "../../../../src/store/postgres/membership.ts";
import { notOwner } from "../../../../src/store/postgres/owners.ts";
import type { Places } from "../../../../src/store/postgres/places.ts";
import type { SimulatedDatabase } from "./simulated-database.ts";
import type { SimulatedLine } from "./simulated-line.ts";

interface LogParts {
  readonly membership: Membership;
  readonly places: Places;
  readonly database: SimulatedDatabase;
  readonly line: SimulatedLine;
}

/** The log of one process, as `PostgresLog` has it, without what nobody asks for here. */
export function simulatedLog({ membership, places, database, line }: LogParts): OutlineLog {
  const ask = async <T>(work: (member: Member) => T): Promise<T> => {
    const member = membership.require();
    return line.call(() => work(member));
  };
  const owning = async <T>(outline: OutlineId, work: (member: Member) => T): Promise<T> => {
    try {
      return await ask(work);
    } catch (error) {
      if (error instanceof StoreError && error.code === "not_owner") places.forget(outline);
      throw error;
    }
  };
  const nobodyAsks = (): never => {
    throw new Error("nobody asks for that here");
  };
  return {
    append: (outline, append) =>
      owning(outline, (member) => database.append(member, outline, append)),
    claim: (outline) =>
      owning(outline, ({ id }) => {
        const term = places.mayClaim(outline) ? database.claim(id, outline, true) : undefined;
        if (term === undefined) throw notOwner(outline);
        return term;
      }),
    saveSnapshot: (outline, snapshot, fence = {}) =>
      owning(outline, (member) => database.saveSnapshot(member, outline, snapshot, fence)),
    load: (outline) => ask((member) => database.load(member, outline)),
    extent: (outline) =>
      ask(({ epoch }) => {
        const row = database.rowOf(outline);
        const { seq, chunks = [] } = row?.snapshot ?? {};
        const snapshot = seq === undefined ? {} : { snapshot: { seq, chunks: chunks.length } };
        return { head: row?.updates.length ?? 0, epoch, ...snapshot };
      }),
    hasDevices: () => ask(() => false),
    receipts: () => ask(() => []),
    changes: () => ask(() => []),
    tail: (outline, { epoch, after }) =>
      ask((member) => {
        const updates = database.rowOf(outline)?.updates ?? [];
        if (epoch !== member.epoch || after > updates.length) return undefined;
        return { updates: updates.slice(after), head: updates.length };
      }),
    probe: () => ask(() => undefined),
    close: async () => undefined,
    receipt: nobodyAsks,
    chunk: nobodyAsks,
    takeToken: nobodyAsks,
    outlines: nobodyAsks,
    drop: nobodyAsks,
  };
}
