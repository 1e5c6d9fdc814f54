import { setTimeout as delay } from "node:timers/promises";
import { startService } from "../support/service.ts";
import { ServerProcess } from "./server-process.ts";
import type { SenderRole, Sent } from "./sync-sender.ts";
import { WORST_MESSAGES } from "./sync-worst-messages.ts";
import { longestTurn } from "./turn-watch.ts";

export interface Blocking {
  readonly message: string;
  readonly bytes: number;
  /** The longest turn of the server's event loop until it was dealt with, in processor time. */
  readonly longestMs: number;
  /** All processor time until then, of all threads. */
  readonly wholeMs: number;
  /** What the server said to it, when that was not yes. */
  readonly refusals: string;
}

/** How long the worst messages that a client may send keep a server from everything else. */
export async function benchBlocking(): Promise<readonly Blocking[]> {
  const figures: Blocking[] = [];
  for (const make of WORST_MESSAGES) {
    // Each in a service of its own: what one leaves behind is not the next one's.
    const service = await startService({ store: "level" });
    const { name, before, messages } = make();
    const principal = await service.accounts.authenticate(service.key);
    if (principal === undefined) throw new Error("the key is not valid");
    const author = { keyId: principal.keyId, session: {} };
    await service.documents.use(principal.outline, async (document) => {
      for (const update of before) {
        const receipt = await document.receive(update, author);
        if (receipt.kind !== "applied") throw new Error(`${name}: ${receipt.kind} before`);
        await receipt.durable;
      }
    });
    const role: SenderRole = {
      url: `${service.url.replace("http", "ws")}/sync/me`,
      key: service.key,
      messages: messages.map((message) => Buffer.from(message).toString("base64")),
    };
    globalThis.gc?.();
    const cpu = process.cpuUsage();
    let sender: ServerProcess<Sent> | undefined;
    const { cpuMs } = await longestTurn(async () => {
      sender = await ServerProcess.start<Sent, SenderRole>("./sync-sender.ts", role);
      // What the other connection is sent of it.
      await delay(500);
    });
    const { user, system } = process.cpuUsage(cpu);
    await sender?.stop();
    await service.close();
    figures.push({
      message: name,
      bytes: messages.reduce((sum, { length }) => sum + length, 0),
      longestMs: Math.round(cpuMs),
      wholeMs: Math.round((user + system) / 1000),
      refusals: sender?.listening.refusals.join(", ") ?? "",
    });
  }
  return figures;
}
