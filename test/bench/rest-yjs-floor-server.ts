/**
 * The floor of a create among those that keep a document of Yjs: a bare route that writes what the
 * node consists of, and answers when it is durable, with as many bytes as the service. Two documents,
 * one of which is for warming up. Writes where it listens.
 */
import { env } from "node:process";
import { fastify } from "fastify";
import { collectDefaultMetrics, Registry } from "prom-client";
import { BareGroupCommit } from "./bare-group-commit.ts";
import { BareOutline, type BareNode } from "./bare-outline.ts";

const metrics = new Registry();
collectDefaultMetrics({ register: metrics });
const log = await BareGroupCommit.open(env["FLOOR_FOLDER"] ?? "");
const app = fastify({ bodyLimit: 2 ** 20 });
for (const [path, size] of [
  ["/create", Number(env["FLOOR_NODES"])],
  ["/warm-up", 0],
] as const) {
  const outline = new BareOutline(log, size);
  app.post<{ readonly Body: BareNode }>(path, async ({ body }) => {
    return { item_id: `00000000-0000-8000-8000-${await outline.add(body)}` };
  });
}
app.get("/metrics", () => metrics.metrics());
console.log(await app.listen({ port: 0, host: "127.0.0.1" }));
