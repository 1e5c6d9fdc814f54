import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Registry } from "prom-client";
import { isLoopback } from "../accounts/network-of.ts";
import { problem, type Problem } from "./problem.ts";
import type { Responder } from "./answer/responder.ts";

const NOT_HERE = problem(
  "forbidden",
  "The metrics are for programs on the server's own machine. Others need OUTLINE_METRICS_KEY.",
);
const NO_KEY = problem("unauthorized", "The metrics need their own key: `Bearer <key>`.");

/** With these a proxy says that it asks for somebody else. */
const OF_PROXIES = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

/**
 * `/metrics`: the numbers of the process, for Prometheus. They tell how much is going on, so not
 * everybody gets them: who shows their key, or where there is none, programs of this machine.
 */
export function addMetricsRoute(
  app: FastifyInstance,
  parts: {
    readonly responder: Responder;
    readonly registry: Registry;
    readonly key: string | undefined;
  },
): void {
  const { responder, registry, key } = parts;
  let numbers: Promise<string> | undefined;
  app.get("/metrics", { config: { isPublic: true } }, async (request, reply) => {
    const refused = key === undefined ? refusalFrom(request) : refusalBy(request, key);
    if (refused !== undefined) return responder.send(request, reply, refused);
    // However many ask at once, they are written out once.
    numbers ??= registry.metrics().finally(() => (numbers = undefined));
    const text = await numbers;
    return responder.sendPage(request, reply, { contentType: registry.contentType, text });
  });
}

function refusalBy({ raw: { headers } }: FastifyRequest, key: string): Problem | undefined {
  const shown = /^bearer +(?<key>\S+) *$/i.exec(headers.authorization ?? "")?.groups?.["key"] ?? "";
  // Hashed, so that both are as long and the time tells nothing.
  const [one, other] = [shown, key].map((text) => createHash("sha256").update(text).digest());
  const isRight = one !== undefined && other !== undefined && timingSafeEqual(one, other);
  return isRight ? undefined : NO_KEY;
}

function refusalFrom({ raw: { headers, socket } }: FastifyRequest): Problem | undefined {
  const isForOthers = OF_PROXIES.some((name) => headers[name] !== undefined);
  return isForOthers || !isLoopback(socket.remoteAddress ?? "") ? NOT_HERE : undefined;
}
