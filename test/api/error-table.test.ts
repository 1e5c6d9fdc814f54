import { expect, onTestFinished } from "vitest";

import { startService } from "../support/service.ts";
import { Api, type RequestOptions } from "./support/api.ts";
import { newUserName, test } from "./support/api-test.ts";

const ONE_MORE = 1024 * 1024 + 1;

type Row = readonly [
  method: string,
  path: string,
  options?: RequestOptions,
  key?: "none" | "reader",
];

/** A request for each refusal there is, in the order of the checks. `:id` is a node's id. */
const ROWS: readonly Row[] = [
  ["GET", "/nodes", {}, "none"],
  ["GET", "/nodes", { headers: { authorization: "Bearer nonsense" } }, "none"],
  ["GET", "/nothing"],
  ["PUT", "/nodes"],
  ["GET", "/nodes/:id/complete"],
  ["DELETE", "/nodes-export"],
  ["POST", "/nodes", { json: { name: "x" } }, "reader"],
  ["GET", "/nodes/%zz"],
  ["GET", "/nodes?parent_id=a&parent_id=b"],
  ["POST", "/nodes", { raw: "nonsense" }],
  ["POST", "/nodes", { raw: "[]" }],
  ["POST", "/nodes", { json: {} }],
  ["POST", "/nodes", { json: { name: 5 } }],
  ["POST", "/nodes", { json: { name: "x", note: 5 } }],
  ["POST", "/nodes", { json: { name: "x", parent_id: 5 } }],
  ["POST", "/nodes", { json: { name: "x", layoutMode: "h 4" } }],
  ["POST", "/nodes", { json: { name: "x", position: "middle" } }],
  ["POST", "/nodes", { json: { name: "x", completed: "yes" } }],
  ["POST", "/nodes", { json: { name: "a".repeat(ONE_MORE) } }],
  ["POST", "/nodes", { json: { name: "x", note: "a".repeat(ONE_MORE) } }],
  ["POST", "/nodes", { raw: " ".repeat(10 * ONE_MORE) }],
  ["POST", "/nodes", { json: { name: "x", parent_id: "nowhere" } }],
  ["GET", "/nodes/nowhere"],
  ["GET", "/nodes?parent_id=today"],
  ["GET", "/nodes/None"],
  ["POST", "/nodes/nowhere", { json: { name: "x" } }],
  ["POST", "/nodes/:id/move", { json: { parent_id: "nowhere" } }],
  ["POST", "/nodes/:id/move", { json: { parent_id: ":id" } }],
  ["DELETE", "/nodes/nowhere"],
  ["POST", "/targets", { json: { key: "today", id: ":id" } }],
  ["POST", "/targets", { json: { key: "2026-13", id: ":id" } }],
  ["POST", "/targets", { json: { key: "a/b", id: ":id" } }],
  ["POST", "/targets", { json: { key: "work", id: "nowhere" } }],
  ["DELETE", "/targets/inbox"],
  ["DELETE", "/targets/nothing"],
  ["POST", "/settings", { json: { timezone: "Mars/Olympus_Mons" } }],
  ["POST", "/settings", { json: { weekStart: 7 } }],
  ["POST", "/keys", { json: { name: "x", scope: "all" } }],
  ["POST", "/keys", { json: { name: "x", root_id: "nowhere" } }],
  ["DELETE", "/keys/nothing"],
  ["GET", "/nodes-export"],
];

const HEADERS = ["www-authenticate", "allow", "retry-after"];

function shortened(options: RequestOptions | undefined): string {
  const text = options?.raw ?? JSON.stringify(options?.json ?? options?.headers);
  if (text === undefined) return "";
  return text.length < 200 ? ` ${String(text)}` : ` (${text.length} bytes)`;
}

test("[E1] the table of refusals, word for word", async ({ clock }) => {
  const service = await startService({ now: clock.now });
  onTestFinished(() => service.close());
  const { key } = await service.newUser(newUserName());
  const api = new Api(service.url, key);
  const id = await api.create({ name: "x" });
  const reader = await api.keyed({ name: "reader", scope: "read" });
  // The one that is allowed.
  await api.export();

  let table = "";
  for (const [method, path, options, which] of ROWS) {
    const filled = JSON.parse(JSON.stringify(options ?? {}).replace(":id", id)) as RequestOptions;
    const asker = which === "none" ? api.withKey(undefined) : which === "reader" ? reader : api;
    const answer = await asker.request(method, path.replace(":id", id), filled);
    table += `${method} ${path}${shortened(options)}\n${answer.status}`;
    for (const header of HEADERS) {
      const value = answer.headers.get(header);
      if (value !== null) table += ` ${header}: ${value}`;
    }
    table += `\n${JSON.stringify(answer.body).replaceAll(id, ":id")}\n\n`;
  }
  await expect(table).toMatchFileSnapshot("../golden/error-table.txt");
});
