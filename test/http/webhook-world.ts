import { onTestFinished } from "vitest";
import { SocketClock } from "../support/socket-clock.ts";
import { startService, type ServiceOptions } from "../support/service.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";
import { userOf } from "./changes-user.ts";

/** Changes of so short a time are told together. */
const SHORT_MS = 1_000;

/** Time that stands still, but for short waits, which take none. */
class WebhookClock extends SocketClock {
  readonly #short = new Set<unknown>();

  override setTimeout(callback: () => void, ms: number): unknown {
    if (ms > SHORT_MS) return super.setTimeout(callback, ms);
    const handle = setImmediate(() => {
      this.#short.delete(handle);
      callback();
    });
    this.#short.add(handle);
    return handle;
  }

  override clearTimeout(handle: unknown): void {
    if (this.#short.delete(handle)) clearImmediate(handle as NodeJS.Immediate);
    else super.clearTimeout(handle);
  }
}

/** Closed with the test. */
export async function openReceiver(
  ...tls: Parameters<typeof WebhookReceiver.open>
): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.open(...tls);
  onTestFinished(() => receiver.close());
  return receiver;
}

interface ShownWebhook {
  readonly id: string;
  readonly url: string;
  readonly state: "on" | "failing" | "off";
  readonly reason: string | null;
  readonly nextAttemptAt: number | null;
  readonly lastDeliveredAt: number | null;
}

/** A service whose time a test moves, with a user, and a receiver on this machine. */
export async function webhookWorld(options: ServiceOptions = {}) {
  const clock = new WebhookClock();
  const receiver = await openReceiver();
  const { limits, ...others } = options;
  const service = await startService({
    now: clock.now,
    heldTimers: clock,
    limits: { insecureWebhooks: true, ...limits },
    ...others,
  });
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await service.close();
  };
  onTestFinished(close);
  const me = await userOf(service, "ann");
  const make = async (more: object = {}, as = me.key) => {
    const { body, status } = await me.api("POST", "/webhooks", { url: receiver.url, ...more }, as);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body as { readonly id: string; readonly secret: string };
  };
  const shown = async (id: string): Promise<ShownWebhook> => {
    const { body } = await me.api("GET", `/webhooks/${id}`);
    return (body as { readonly webhook: ShownWebhook }).webhook;
  };
  return { clock, receiver, service, me, make, shown, close };
}
