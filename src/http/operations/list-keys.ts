import { z } from "zod";
import type { KeyRecord } from "../../accounts/account-store.ts";
import { nodeIdOf, type OutlineId } from "../../core/node-key.ts";
import { API_KEY, named } from "../api-schemas.ts";
import { endOf } from "../intake/in-force.ts";
import { defineOperation } from "../operation.ts";

export const listKeys = defineOperation({
  id: "listKeys",
  method: "GET",
  path: "/api/v1/keys",
  tag: "Keys",
  summary: "List the API keys",
  description: "Answers the user's keys, oldest first, without the keys themselves.",
  needs: { write: false, wholeOutline: true },
  answer: named("ApiKeyList", z.strictObject({ keys: z.array(API_KEY) })),
  problems: [],
  async run({ principal }, { accounts, now }) {
    const { user, outline } = principal;
    const records = await accounts.listKeys(user);
    const ended = endOf(principal, now());
    if (ended !== undefined) return ended;
    return JSON.stringify({ keys: records.map((record) => shownKey(record, outline)) });
  },
});

function shownKey(record: KeyRecord, outline: OutlineId): z.infer<typeof API_KEY> {
  return {
    id: record.id,
    name: record.name,
    scope: record.scope,
    root_id: record.root === undefined ? null : nodeIdOf(outline, record.root),
    createdAt: record.createdAt,
    lastUsedAt: record.lastUsedAt ?? null,
    expiresAt: record.expiresAt ?? null,
  };
}
