import { call } from "../../e2e/program-folder.ts";
import type { ServerProcess } from "../../e2e/server-process.ts";
import { answering, WebhookReceiver } from "../../support/webhook-receiver.ts";
import { KEY, type Listener } from "./listener.ts";

/** Who has a webhook: it is told without ever asking a server again. */
export class WebhookListener implements Listener {
  readonly told = new Set<string>();
  readonly #receiver: WebhookReceiver;
  #hasWebhook = false;
  #isDeaf = false;

  static async open(): Promise<WebhookListener> {
    return new WebhookListener(await WebhookReceiver.open());
  }

  private constructor(receiver: WebhookReceiver) {
    this.#receiver = receiver;
    receiver.answer = (response, message) => {
      // Nothing is answered until the server is gone.
      if (this.#isDeaf) return;
      for (const id of message.data.changed ?? []) if (typeof id === "string") this.told.add(id);
      answering(200)(response, message);
    };
  }

  get arrived(): number {
    return this.#receiver.messages.length;
  }

  async attend(server: ServerProcess): Promise<void> {
    this.#isDeaf = false;
    if (this.#hasWebhook) return;
    this.#hasWebhook = true;
    await call(server, KEY, "POST", "webhooks", { url: this.#receiver.url });
  }

  deafen(): void {
    this.#isDeaf = true;
  }

  close(): void {
    this.#receiver.close();
  }
}
