import type { OutlineId } from "../../core/node-key.ts";
import type { Fence, Seq, Snapshot } from "../../documents/log/outline-log.ts";
import { requireEpoch, requireSnapshotWithin } from "../log-checks.ts";
import { sealCompressed } from "../record.ts";
import { partsOf } from "../snapshot-parts.ts";
import type { TailLimits } from "../tail-limits.ts";
import { notOwner } from "./owners.ts";
import type { Member } from "./member.ts";
import { isHistoryOf } from "./origin.ts";
import { idOf, NAMES } from "./outline-names.ts";
import { packed } from "./packed.ts";
import type { Run, SqlPool } from "./sql-pool.ts";

interface SnapshotToSave {
  readonly outline: OutlineId;
  readonly snapshot: Snapshot;
  readonly fence: Fence;
  readonly tail: TailLimits;
}

export const SNAPSHOT_MS = 60_000;

const STATE = "select head, snapshot_seq as seq from outline_store.outline where id = $1 and made";
const INSERT = {
  name: "insert parts",
  text: `insert into outline_store.snapshot_part (outline, seq, part, data)
    select $1::bytea, $2::bigint, p.part, substr($3::bytea, p.start, p.length)
    from unnest($4::int[], $5::int[], $6::int[]) as p (part, start, length)`,
};
/** The newest that do not fit the limits, and all before them. */
const TRIM = `delete from outline_store.entry where outline = $1 and seq <= least($2::bigint, coalesce((
      select max(seq) from (
        select seq, row_number() over newest as at,
          sum(octet_length(data) - 5) over newest as bytes
        from outline_store.entry where outline = $1 window newest as (order by seq desc)) as tail
      where at > $3 or bytes > $4), 0))`;
const REMOVE = "delete from outline_store.snapshot_part where outline = $1 and seq < $2";
const TURN = `update outline_store.outline
    set snapshot_seq = $2, snapshot_parts = $3, snapshot_memory = $4
    where id = $1 and snapshot_seq < $2 and head >= $2 and owner = $5
      and ($6::bigint is null or term = $6) and ${isHistoryOf("$7")}
    returning head`;

/**
 * Saves a snapshot and trims the log behind it, in one transaction; false when a newer or equal one is
 * there. Its last statement is the only one that holds up appends: it locks the outline's row, finds
 * out whether the replica is still the one that may write, and turns the parts into the snapshot.
 * Never to be run twice at once for one outline.
 */
export function saveSnapshot(
  pool: SqlPool,
  member: Member,
  saved: SnapshotToSave,
): Promise<boolean> {
  const { outline, snapshot, fence, tail } = saved;
  const id = idOf(outline);
  return pool.transaction(
    "write",
    async (run) => {
      requireEpoch(outline, fence.epoch, member.epoch);
      const [state] = await run<{ head: Seq; seq: Seq }>(STATE, [id]);
      requireSnapshotWithin(snapshot.seq, state?.head ?? 0);
      if ((state?.seq ?? 0) >= snapshot.seq) return false;
      const parts = partsOf(snapshot);
      await insertParts(run, outline, snapshot.seq, parts);
      await run(TRIM, [id, snapshot.seq, tail.updates, tail.bytes]);
      await run(REMOVE, [id, snapshot.seq]);
      const memory = snapshot.memoryBytes === undefined ? null : Math.ceil(snapshot.memoryBytes);
      const { seq } = snapshot;
      const turned = await run(TURN, [
        id,
        seq,
        parts.length,
        memory,
        member.id,
        fence.term ?? null,
        member.epoch,
      ]);
      // Thrown, it takes all of it back.
      if (turned.length === 0) throw notOwner(outline);
      return true;
    },
    SNAPSHOT_MS,
  );
}

/** Writes the parts of a snapshot, which are none before its outline's row says so. */
export async function insertParts(
  run: Run,
  outline: OutlineId,
  seq: Seq,
  parts: readonly Uint8Array[],
): Promise<void> {
  for await (const { rows, bytes, starts, lengths } of packed(sealedParts(outline, seq, parts))) {
    const numbers = rows.map(({ part }) => part);
    await run(INSERT, [idOf(outline), seq, bytes, numbers, starts, lengths]);
  }
}

async function* sealedParts(outline: OutlineId, seq: Seq, parts: readonly Uint8Array[]) {
  for (const [part, payload] of parts.entries()) {
    yield { part, record: await sealCompressed(NAMES.part(outline, seq, part), payload) };
  }
}
