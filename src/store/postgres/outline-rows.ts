import type { OutlineId } from "../../core/node-key.ts";
import type {
  ChangeRecord,
  ChunkPlace,
  ClientHolder,
  LoadedOutline,
  ReceiptPlace,
  Seq,
  StoredExtent,
  TailPage,
  TailRange,
} from "../../documents/outline-log.ts";
import { requireIntact, unseal, unsealCompressed } from "../record.ts";
import type { Member } from "./member.ts";
import { idOf, NAMES, outlineDamaged } from "./outline-names.ts";
import type { Run } from "./sql-pool.ts";
import { FIRST_CHUNK, partOf } from "../snapshot-parts.ts";

/** What is read at once. */
const PAGE_BYTES = 1024 * 1024;
const PAGE_ROWS = 1000;
/** What a seal adds to an update. */
const SEAL_BYTES = 5;

interface OutlineRow {
  readonly head: Seq;
  readonly seq: Seq;
  readonly parts: number;
  readonly memory: number | null;
  readonly lost: string | null;
}

interface EntryRow {
  readonly seq: Seq;
  readonly data: Uint8Array;
}

/** Rows one behind the other, as many as fit a size: always the first. */
function pageOf(table: string, columns: string, order: string, where: string): string {
  return `select ${columns}, data from (
      select ${columns}, data, row_number() over page as at,
        sum(octet_length(data) - ${SEAL_BYTES}) over page as bytes
      from outline_store.${table} where ${where} window page as (order by ${order})
      order by ${order} limit ${PAGE_ROWS}) as rows
    where at = 1 or bytes <= $3 order by ${order}`;
}

const OUTLINE = {
  name: "outline",
  text: `select head, snapshot_seq as seq, snapshot_parts as parts, snapshot_memory as memory, lost
    from outline_store.outline where id = $1 and made`,
};
const ENTRIES = {
  name: "entries",
  text: pageOf("entry", "seq", "seq", "outline = $1 and seq > $2"),
};
const PARTS = {
  name: "parts",
  text: pageOf("snapshot_part", "part", "part", "outline = $1 and seq = $4 and part >= $2"),
};
const PART = {
  name: "part",
  text: "select data from outline_store.snapshot_part where outline = $1 and seq = $2 and part = $3",
};
const BINDINGS = {
  name: "bindings",
  text: `select client, holder from outline_store.client_binding where outline = $1 order by client`,
};
const RECEIPTS = `select encode(id, 'hex') as id, at, bytes from outline_store.receipt
    where outline = $1 order by at, id`;
const RECEIPT = "select data from outline_store.receipt where outline = $1 and at = $2 and id = $3";
const CHANGES = {
  name: "changes",
  text: pageOf("change", "last", "last", "outline = $1 and last > $2"),
};
const LAST_CHANGE = {
  name: "last change",
  text: "select max(last) as last from outline_store.change where outline = $1",
};
const DEVICES = {
  name: "devices",
  text: `select exists (select from outline_store.outline o join outline_store.client_binding b
    on b.outline = o.id where o.id = $1 and o.made and b.holder <> $2) as found`,
};

async function outlineRow(run: Run, outline: OutlineId): Promise<OutlineRow | undefined> {
  const [row] = await run<OutlineRow>(OUTLINE, [idOf(outline)]);
  return row;
}

function snapshotOf({ seq, parts, memory }: OutlineRow): StoredExtent["snapshot"] {
  if (seq === 0) return undefined;
  const chunks = Math.max(0, parts - FIRST_CHUNK);
  return { seq, chunks, ...(memory === null ? {} : { memoryBytes: memory }) };
}

/** As `OutlineLog.extent` gives it. */
export async function readExtent(
  run: Run,
  { epoch }: Member,
  outline: OutlineId,
): Promise<StoredExtent> {
  const row = await outlineRow(run, outline);
  const snapshot = row && snapshotOf(row);
  return { head: row?.head ?? 0, epoch, ...(snapshot === undefined ? {} : { snapshot }) };
}

/** As `OutlineLog.hasDevices` tells it. */
export async function readHasDevices(run: Run, outline: OutlineId): Promise<boolean> {
  const server = JSON.stringify({ kind: "server" } satisfies ClientHolder);
  const [row] = await run<{ found: boolean }>(DEVICES, [idOf(outline), server]);
  return row?.found === true;
}

/** As `OutlineLog.receipts` gives them. */
export function readReceipts(run: Run, outline: OutlineId): Promise<readonly ReceiptPlace[]> {
  return run<ReceiptPlace>(RECEIPTS, [idOf(outline)]);
}

/** As `OutlineLog.receipt` gives it. */
export async function readReceipt(
  run: Run,
  outline: OutlineId,
  place: ReceiptPlace,
): Promise<Uint8Array | undefined> {
  const key = [idOf(outline), place.at, Buffer.from(place.id, "hex")];
  const [row] = await run<{ data: Uint8Array }>(RECEIPT, key);
  return row && unseal(NAMES.receipt(outline, place), row.data);
}

/** As `OutlineLog.changes` gives them. */
export async function readChanges(
  run: Run,
  outline: OutlineId,
  { after, maxBytes }: { readonly after: number; readonly maxBytes: number },
): Promise<readonly ChangeRecord[]> {
  const rows = await run<ChangeRecord>(CHANGES, [idOf(outline), after, maxBytes]);
  return rows.map(({ last, data }) => ({ last, data: unseal(NAMES.change(outline, last), data) }));
}

/** As `OutlineLog.load` gives it, within a transaction that sees one moment. */
export async function readOutline(
  run: Run,
  { epoch, epochOrdinal }: Member,
  outline: OutlineId,
  onProgress: (bytes: number) => void,
): Promise<LoadedOutline> {
  const row = await outlineRow(run, outline);
  if (row === undefined) {
    return { head: 0, updates: [], bindings: new Map(), lastChange: 0, epoch, epochOrdinal };
  }
  const bindings = new Map<number, ClientHolder>();
  for (const { client, holder } of await run<{ client: number; holder: string }>(BINDINGS, [
    idOf(outline),
  ])) {
    bindings.set(client, JSON.parse(holder) as ClientHolder);
  }
  onProgress(0);
  const snapshot = await readSnapshot(run, outline, row, onProgress);
  const updates = await readUpdates(run, outline, row, onProgress);
  const [change] = await run<{ last: number | null }>(LAST_CHANGE, [idOf(outline)]);
  const lastChange = change?.last ?? 0;
  const lost = row.lost === null ? undefined : new Map(JSON.parse(row.lost) as [number, number][]);
  const common = {
    head: row.head,
    epoch,
    epochOrdinal,
    bindings,
    updates,
    lastChange,
    ...(lost && { lost }),
  };
  return snapshot === undefined ? common : { ...common, snapshot };
}

async function readSnapshot(
  run: Run,
  outline: OutlineId,
  row: OutlineRow,
  onProgress: (bytes: number) => void,
): Promise<LoadedOutline["snapshot"]> {
  const { seq, parts: count, memory } = row;
  if (seq === 0) return undefined;
  const parts: Uint8Array[] = [];
  while (parts.length < count) {
    const page = await run<{ part: number; data: Uint8Array }>(PARTS, [
      idOf(outline),
      parts.length,
      PAGE_BYTES,
      seq,
    ]);
    if (page.length === 0) throw missingPart(outline, parts.length);
    for (const { part, data } of page) {
      if (part !== parts.length) throw missingPart(outline, parts.length);
      const payload = await unsealCompressed(NAMES.part(outline, seq, part), data);
      parts.push(payload);
      onProgress(payload.byteLength);
    }
  }
  const [stateVector, annex, ...chunks] = parts;
  if (stateVector === undefined || annex === undefined) {
    throw outlineDamaged(outline, "its snapshot is incomplete");
  }
  return { seq, chunks, stateVector, annex, ...(memory === null ? {} : { memoryBytes: memory }) };
}

function missingPart(outline: OutlineId, part: number): Error {
  return outlineDamaged(outline, `part ${part} of its snapshot is missing`);
}

async function readUpdates(
  run: Run,
  outline: OutlineId,
  { seq: after, head }: OutlineRow,
  onProgress: (bytes: number) => void,
): Promise<LoadedOutline["updates"]> {
  const updates: { seq: Seq; update: Uint8Array }[] = [];
  let seq = after;
  while (seq < head) {
    const page = await run<EntryRow>(ENTRIES, [idOf(outline), seq, PAGE_BYTES]);
    let bytes = 0;
    for (const row of page) {
      seq += 1;
      if (row.seq !== seq) throw missingUpdate(outline, seq);
      const update = unseal(NAMES.update(outline, seq), row.data);
      updates.push({ seq, update });
      bytes += update.byteLength;
    }
    if (page.length === 0) throw missingUpdate(outline, seq + 1);
    onProgress(bytes);
  }
  if (seq > head) throw outlineDamaged(outline, `update ${head + 1} is behind its head`);
  return updates;
}

function missingUpdate(outline: OutlineId, seq: Seq): Error {
  return outlineDamaged(outline, `update ${seq} is missing`);
}

/** As `OutlineLog.chunk` gives it, within a transaction that sees one moment. */
export async function readChunk(
  run: Run,
  member: Member,
  outline: OutlineId,
  { epoch, seq, index }: ChunkPlace,
): Promise<Uint8Array | undefined> {
  if (epoch !== member.epoch) return undefined;
  const row = await outlineRow(run, outline);
  const part = partOf(index);
  if (row?.seq !== seq || part >= row.parts) return undefined;
  const [found] = await run<{ data: Uint8Array }>(PART, [idOf(outline), seq, part]);
  if (found === undefined) throw missingPart(outline, part);
  return unsealCompressed(NAMES.part(outline, seq, part), found.data);
}

/** As `OutlineLog.tail` gives it, within a transaction that sees one moment. */
export async function readTail(
  run: Run,
  member: Member,
  outline: OutlineId,
  { epoch, after, maxBytes }: TailRange,
): Promise<TailPage | undefined> {
  if (epoch !== member.epoch) return undefined;
  const head = (await outlineRow(run, outline))?.head ?? 0;
  if (after > head) return undefined;
  if (after === head) return { updates: [], head };
  const rows = await run<EntryRow>(ENTRIES, [idOf(outline), after, maxBytes]);
  const updates: Uint8Array[] = [];
  let seq = after;
  for (const row of rows) {
    seq += 1;
    if (row.seq !== seq) {
      // Trimmed, when it is the first one that is not there.
      if (updates.length === 0) return undefined;
      throw missingUpdate(outline, seq);
    }
    updates.push(unseal(NAMES.update(outline, seq), row.data));
  }
  return updates.length === 0 ? undefined : { updates, head };
}

/** Reads every record of an outline and says what is wrong. @throws StoreError `outline_corrupt` */
export async function verifyOutlineRows(run: Run, outline: OutlineId): Promise<void> {
  const row = await outlineRow(run, outline);
  if (row === undefined) return;
  await readSnapshot(run, outline, row, () => undefined);
  for (const place of await readReceipts(run, outline)) await readReceipt(run, outline, place);
  for (let after = 0; ;) {
    const records = await readChanges(run, outline, { after, maxBytes: PAGE_BYTES });
    const last = records.at(-1)?.last;
    if (last === undefined) break;
    after = last;
  }
  // The whole tail, behind and before the snapshot.
  let seq = 0;
  for (;;) {
    const page = await run<EntryRow>(ENTRIES, [idOf(outline), seq, PAGE_BYTES]);
    if (page.length === 0) break;
    for (const entry of page) {
      if (seq > 0 && entry.seq !== seq + 1) throw missingUpdate(outline, seq + 1);
      requireIntact(NAMES.update(outline, entry.seq), entry.data);
      seq = entry.seq;
    }
  }
  if (seq < row.head && row.seq < row.head) throw missingUpdate(outline, seq + 1);
}
