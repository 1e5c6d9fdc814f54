/**
 * The floor of the HTTP benchmark: routes of nothing but the framework, which answer what they are
 * told to. Writes where it listens.
 */
import { text } from "node:stream/consumers";
import { fastify } from "fastify";

const bodies = JSON.parse(await text(process.stdin)) as Readonly<Record<string, unknown>>;
const app = fastify();
for (const [path, body] of Object.entries(bodies)) app.get(path, async () => body);
console.log(await app.listen({ port: 0, host: "127.0.0.1" }));
