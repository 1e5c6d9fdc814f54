/**
 * The floor of the HTTP benchmarks: routes of nothing but the framework. A GET answers the object that
 * it was told to, made into JSON each time; a POST appends its body with a bare group commit and
 * answers as many bytes as the service does. Reads what it is told from its input, and writes where
 * it listens.
 */
import { env } from "node:process";
import { text } from "node:stream/consumers";
import { fastify } from "fastify";
import { collectDefaultMetrics, Registry } from "prom-client";
import { BareGroupCommit } from "./bare-group-commit.ts";

const metrics = new Registry();
collectDefaultMetrics({ register: metrics });
const bodies = JSON.parse(await text(process.stdin)) as Readonly<Record<string, unknown>>;
const log = await BareGroupCommit.open(env["FLOOR_FOLDER"] ?? "");
const app = fastify({ bodyLimit: 2 ** 20 });
for (const [path, body] of Object.entries(bodies)) app.get(path, async () => body);
app.post("/create", async (request) => {
  await log.append(Buffer.from(JSON.stringify(request.body)));
  return { item_id: "00000000-0000-8000-8000-000000000000" };
});
app.get("/metrics", () => metrics.metrics());
console.log(await app.listen({ port: 0, host: "127.0.0.1" }));
