import type { WebhookRecord } from "../../accounts/account-store.ts";
import { isOutlineId, type OutlineId } from "../../core/node-key.ts";
import { idOf } from "./outline-names.ts";
import { LIVES } from "./owners.ts";
import type { Run } from "./sql-pool.ts";

interface RecordRow {
  readonly record: string;
}

const OF_OUTLINE = {
  name: "webhooks",
  text: "select record from outline_store.webhook where outline = $1 order by ordinal",
};
const INSERT = `insert into outline_store.webhook
      (id, account, outline, ordinal, key_hash, revision, is_on, reached_head, reached_epoch, record)
    select $1, $2, $3::bytea, coalesce(max(ordinal) + 1, 0), $4, $5, $6, $7, $8, $9
    from outline_store.webhook where outline = $3::bytea`;
const CHANGE = {
  name: "webhook",
  text: `update outline_store.webhook
    set revision = $2, is_on = $3, reached_head = $4, reached_epoch = $5, record = $6
    where id = $1 and revision = $2 - 1 returning id`,
};
const REMOVE = "delete from outline_store.webhook where id = $1 and outline = $2 returning id";
const REMOVE_OF_KEYS = `delete from outline_store.webhook
    where key_hash in (select decode(hash, 'hex') from unnest($1::text[]) as h (hash))`;
/** What another process serves is for that one to look at. */
const BEHIND = {
  name: "webhooks behind",
  text: `select w.record from outline_store.webhook w
    cross join outline_store.meta m
    left join outline_store.outline o on o.id = w.outline
    left join outline_store.process p on p.id = o.owner
    where w.is_on
      and (w.reached_head is null or w.reached_epoch <> m.epoch or w.reached_head < coalesce(o.head, 0))
      and (p.id is null or p.id = $1 or not ${LIVES})`,
};

function recordOf({ record }: RecordRow): WebhookRecord {
  return JSON.parse(record) as WebhookRecord;
}

/** In the order in which they were added. */
export async function webhookRows(run: Run, outline: OutlineId): Promise<readonly WebhookRecord[]> {
  // Whatever a caller has let through.
  if (!isOutlineId(outline)) return [];
  return (await run<RecordRow>(OF_OUTLINE, [idOf(outline)])).map(recordOf);
}

/** Behind the others of its outline. */
export async function insertWebhook(run: Run, webhook: WebhookRecord): Promise<void> {
  const { id, user, outline, keyHash, revision, off, reached } = webhook;
  await run(INSERT, [
    id,
    user,
    idOf(outline),
    Buffer.from(keyHash, "utf8"),
    revision,
    off === undefined,
    reached?.head ?? null,
    reached?.epoch ?? null,
    JSON.stringify(webhook),
  ]);
}

/** False when it is not there with the revision before. */
export async function changeWebhookRow(run: Run, webhook: WebhookRecord): Promise<boolean> {
  const { id, revision, off, reached } = webhook;
  const changed = await run(CHANGE, [
    id,
    revision,
    off === undefined,
    reached?.head ?? null,
    reached?.epoch ?? null,
    JSON.stringify(webhook),
  ]);
  return changed.length > 0;
}

/** False when there is none such. */
export async function removeWebhookRow(
  run: Run,
  { id, outline }: Pick<WebhookRecord, "id" | "outline">,
): Promise<boolean> {
  return (await run(REMOVE, [id, idOf(outline)])).length > 0;
}

/** @param hashes of keys, each in hexadecimal once more */
export async function removeWebhooksOf(run: Run, hashes: readonly string[]): Promise<void> {
  await run(REMOVE_OF_KEYS, [hashes]);
}

/** See `AccountStore.webhooksBehind`. @param self the number of this process */
export async function webhookRowsBehind(run: Run, self: number): Promise<readonly WebhookRecord[]> {
  return (await run<RecordRow>(BEHIND, [self])).map(recordOf);
}
