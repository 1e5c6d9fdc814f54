import type { OutlineId } from "../../core/node-key.ts";
import type { Clocks } from "../../core/yjs/stored-clocks.ts";
import type {
  ChangeRecord,
  ClientHolder,
  ReceiptPlace,
  Seq,
  StoreError,
} from "../../documents/log/outline-log.ts";
import type {
  OutlineRecords,
  RecordPage,
  SnapshotHeader,
  StoredUpdate,
} from "../outline-records.ts";
import { missingUpdate, PAGE_BYTES, readSnapshot } from "../outline-records.ts";
import { unseal, unsealCompressed } from "../record.ts";
import type { Member } from "./member.ts";
import { idOf, NAMES, outlineDamaged } from "./outline-names.ts";
import type { Run } from "./sql-pool.ts";

/** Of what is read at once. */
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

interface PartRow {
  readonly part: number;
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

/** The rows of an outline, within a transaction that sees one moment. */
export class OutlineRows implements OutlineRecords {
  readonly history: Member;
  readonly #run: Run;
  readonly #outline: OutlineId;
  readonly #id: Uint8Array;
  #row: Promise<OutlineRow | undefined> | undefined;

  constructor(run: Run, history: Member, outline: OutlineId) {
    this.history = history;
    this.#run = run;
    this.#outline = outline;
    this.#id = idOf(outline);
  }

  async head(): Promise<Seq | undefined> {
    return (await this.#outlineRow())?.head;
  }

  async snapshot(): Promise<SnapshotHeader | undefined> {
    const row = await this.#outlineRow();
    if (row === undefined || row.seq === 0) return undefined;
    const { seq, parts, memory } = row;
    return { seq, parts, memoryBytes: memory ?? undefined };
  }

  async *parts({ seq, parts }: SnapshotHeader): AsyncGenerator<Uint8Array> {
    let next = 0;
    while (next < parts) {
      const values = [this.#id, next, PAGE_BYTES, seq];
      const page = await this.#run<PartRow>(PARTS, values);
      if (page[0]?.part !== next) return;
      for (const { part, data } of page) {
        if (part !== next) return;
        yield unsealCompressed(NAMES.part(this.#outline, seq, part), data);
        next += 1;
      }
    }
  }

  async part(seq: Seq, part: number): Promise<Uint8Array | undefined> {
    const [row] = await this.#run<Pick<PartRow, "data">>(PART, [this.#id, seq, part]);
    return row && unsealCompressed(NAMES.part(this.#outline, seq, part), row.data);
  }

  /** What follows a page nobody knows without asking for it, but for the end of the log. */
  async updates(after: Seq, maxBytes: number): Promise<RecordPage<StoredUpdate>> {
    if (after === (await this.head())) return { records: [], isAll: true };
    const rows = await this.#run<EntryRow>(ENTRIES, [this.#id, after, maxBytes]);
    const records = rows.map(({ seq, data }) => ({
      seq,
      update: unseal(NAMES.update(this.#outline, seq), data),
    }));
    return { records, isAll: records.length === 0 };
  }

  async bindings(): Promise<ReadonlyMap<number, ClientHolder>> {
    const rows = await this.#run<{ client: number; holder: string }>(BINDINGS, [this.#id]);
    return new Map(rows.map(({ client, holder }) => [client, JSON.parse(holder) as ClientHolder]));
  }

  async hasDevices(): Promise<boolean> {
    const server = JSON.stringify({ kind: "server" } satisfies ClientHolder);
    const [row] = await this.#run<{ found: boolean }>(DEVICES, [this.#id, server]);
    return row?.found === true;
  }

  receipts(): Promise<readonly ReceiptPlace[]> {
    return this.#run<ReceiptPlace>(RECEIPTS, [this.#id]);
  }

  async receipt(place: ReceiptPlace): Promise<Uint8Array | undefined> {
    const key = [this.#id, place.at, Buffer.from(place.id, "hex")];
    const [row] = await this.#run<{ data: Uint8Array }>(RECEIPT, key);
    return row && unseal(NAMES.receipt(this.#outline, place), row.data);
  }

  async changes(after: number, maxBytes: number): Promise<readonly ChangeRecord[]> {
    const rows = await this.#run<ChangeRecord>(CHANGES, [this.#id, after, maxBytes]);
    return rows.map(({ last, data }) => ({
      last,
      data: unseal(NAMES.change(this.#outline, last), data),
    }));
  }

  async lastChange(): Promise<number> {
    const [change] = await this.#run<{ last: number | null }>(LAST_CHANGE, [this.#id]);
    return change?.last ?? 0;
  }

  async lost(): Promise<Clocks> {
    const lost = (await this.#outlineRow())?.lost ?? "[]";
    return new Map(JSON.parse(lost) as [number, number][]);
  }

  corrupt(what: string): StoreError {
    return outlineDamaged(this.#outline, what);
  }

  #outlineRow(): Promise<OutlineRow | undefined> {
    return (this.#row ??= this.#run<OutlineRow>(OUTLINE, [this.#id]).then(([row]) => row));
  }
}

/** Reads every record of an outline and says what is wrong. @throws StoreError `outline_corrupt` */
export async function verifyOutlineRows(records: OutlineRows): Promise<void> {
  const head = await records.head();
  if (head === undefined) return;
  const snapshot = await readSnapshot(records);
  for (const place of await records.receipts()) await records.receipt(place);
  for (let after = 0; ;) {
    const last = (await records.changes(after, PAGE_BYTES)).at(-1)?.last;
    if (last === undefined) break;
    after = last;
  }
  // The whole tail, behind and before the snapshot.
  let end = 0;
  for (;;) {
    const page = await records.updates(end, PAGE_BYTES);
    if (page.records.length === 0) break;
    for (const { seq } of page.records) {
      if (end > 0 && seq !== end + 1) throw missingUpdate(records, end + 1);
      end = seq;
    }
  }
  if (end < head && (snapshot?.seq ?? 0) < head) throw missingUpdate(records, end + 1);
}
