import { tellingRow } from "./telling/telling-row.ts";
import { WebhookListener } from "./telling/webhook-listener.ts";

/** Whoever is told by a webhook, of a server that is killed again and again. */
export const webhookKillsRow = tellingRow({
  name: "webhook-kills",
  fault: "kill -9 of the server while a program writes and a webhook's message is on its way",
  goal: "each acknowledged change told at least once, in order, without anybody asking",
  open: () => WebhookListener.open(),
  isWrittenTo: false,
  controls: {
    "moves-on-early": {
      wrong: "where a webhook stands is stored before a message has arrived",
      edits: [
        [
          "const signal = AbortSignal.any(",
          "await this.#moveOn(stored, after); const signal = AbortSignal.any(",
        ],
      ],
    },
  },
});
