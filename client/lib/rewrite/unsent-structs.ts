import * as Y from "yjs";
import { isSeedClient } from "../../../src/core/calendar/month-seed.ts";
import { clocksOf } from "../../../src/core/yjs/struct-store.ts";

/** Clocks from `from` up to, not including, `to`. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** What own updates have written and deleted, by client id and clock. */
export class UnsentStructs {
  readonly written: ReadonlyMap<number, readonly Range[]>;
  /** What was there before and was deleted by them. */
  readonly deleted: ReadonlyMap<number, readonly Range[]>;
  /** The seeds among them, which are the same whoever writes them. */
  readonly seeds: ReadonlySet<number>;

  /**
   * @param updates own ones, which this program has encoded itself
   * @param isSaved tells structs of them that the server has all the same
   */
  constructor(
    updates: readonly Uint8Array[],
    isSaved: (struct: Y.Item | Y.GC | Y.Skip, update: Uint8Array) => boolean = () => false,
  ) {
    const written = new Map<number, Range[]>();
    const deleted = new Map<number, Range[]>();
    const seeds = new Set<number>();
    for (const update of updates) {
      const { structs, ds } = Y.decodeUpdate(update);
      for (const struct of structs) {
        const { id, length } = struct;
        if (isSeedClient(id.client)) seeds.add(id.client);
        else if (!isSaved(struct, update))
          add(written, id.client, { from: id.clock, to: id.clock + length });
      }
      for (const [client, items] of ds.clients) {
        for (const { clock, len } of items) add(deleted, client, { from: clock, to: clock + len });
      }
    }
    this.written = sorted(written);
    this.deleted = sorted(deleted);
    this.seeds = seeds;
  }

  hasWritten({ client, clock }: Y.ID): boolean {
    return isWithin(this.written.get(client), clock);
  }

  hasDeleted({ client, clock }: Y.ID): boolean {
    return isWithin(this.deleted.get(client), clock);
  }

  /**
   * The clocks of a replica as they were before these updates.
   * @param doc has them all
   */
  clocksBefore(doc: Y.Doc): Map<number, number> {
    const clocks = clocksOf(doc);
    for (const [client, ranges] of this.written) {
      const first = ranges[0];
      if (first !== undefined) clocks.set(client, Math.min(clocks.get(client) ?? 0, first.from));
    }
    for (const client of this.seeds) clocks.set(client, 0);
    return clocks;
  }
}

function add(ranges: Map<number, Range[]>, client: number, range: Range): void {
  const known = ranges.get(client);
  if (known === undefined) ranges.set(client, [range]);
  else known.push(range);
}

/** Each client's ranges in order, those that touch joined. */
function sorted(ranges: ReadonlyMap<number, Range[]>): ReadonlyMap<number, readonly Range[]> {
  return new Map(
    [...ranges].map(([client, each]) => {
      const joined: Range[] = [];
      for (const range of each.toSorted((a, b) => a.from - b.from)) {
        const last = joined.at(-1);
        if (last === undefined || last.to < range.from) joined.push(range);
        else joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
      }
      return [client, joined];
    }),
  );
}

function isWithin(ranges: readonly Range[] | undefined, clock: number): boolean {
  return ranges?.some(({ from, to }) => from <= clock && clock < to) === true;
}
