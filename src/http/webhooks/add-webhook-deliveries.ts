import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { Counter, Gauge, type Registry } from "prom-client";
import type { Passing } from "../../accounts/passing.ts";
import { FairGate } from "../../documents/turns/fair-gate.ts";
import type { Timers } from "../../documents/turns/timers.ts";
import { Poster, type PostOptions } from "../outgoing/post.ts";
import type { HttpLimits } from "../http-limits.ts";
import type { StreamingService } from "../service.ts";
import { WebhookDeliveries } from "./webhook-deliveries.ts";

/** How often a process looks for outlines whose owner has ended, where several serve. */
const LOOK_EVERY_MS = 5_000;
/** Deliveries at one time, in all and of a user: [Q111]. */
const MOST_IN_ALL = 50;
const MOST_OF_USER = 5;

interface Delivering extends Pick<PostOptions, "resolve" | "ca"> {
  readonly metrics: Registry;
  readonly logger: FastifyBaseLogger;
  readonly timers: Pick<Timers, "setTimeout" | "clearTimeout">;
  readonly passing: Passing | undefined;
}

/** Delivers webhooks from when the server listens until it closes. */
export function addWebhookDeliveries(
  app: FastifyInstance,
  service: StreamingService & { readonly limits: HttpLimits },
  { metrics, logger, timers, passing, resolve, ca }: Delivering,
): WebhookDeliveries {
  const isInsecure = service.limits.insecureWebhooks;
  const registers = [metrics];
  const outcomes = new Counter({
    name: "outline_webhook_deliveries_total",
    help: "Messages to webhooks that have arrived or not, and webhooks that were switched off.",
    labelNames: ["outcome"],
    registers,
  });
  const deliveries = new WebhookDeliveries({
    service,
    accounts: service.accounts,
    poster: new Poster({ isInsecure, timers, resolve, ca }),
    gate: new FairGate(MOST_IN_ALL, MOST_OF_USER),
    timers,
    isHere: async (outline) =>
      passing === undefined || (await passing.place(outline)).kind === "here",
    lookEveryMs: passing === undefined ? undefined : LOOK_EVERY_MS,
    onDelivery: (outcome) => outcomes.inc({ outcome }),
    onDefect: (error) => logger.error({ err: error }, "a defect in the delivery of webhooks"),
  });
  void new Gauge({
    name: "outline_webhooks",
    help: "Webhooks that this process looks after: of outlines that were loaded, or that have something to tell.",
    registers,
    collect() {
      this.set(deliveries.size);
    },
  });
  app.addHook("onListen", (done) => {
    deliveries.begin();
    done();
  });
  app.addHook("preClose", () => deliveries.close());
  return deliveries;
}
