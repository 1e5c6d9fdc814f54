import { access } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { AdminChannel } from "./admin/admin-channel.ts";
import { AdminClient } from "./admin/admin-client.ts";
import { socketPathOf } from "./admin/socket-path.ts";
import type { Config } from "./config.ts";
import { StoreError } from "./documents/outline-log.ts";
import { LOG_LOSS } from "./service-events.ts";
import { type Purpose, SERVING } from "./store/purpose.ts";
import { holdsStore } from "./store/store-folder.ts";
import { storeFolderOf } from "./store-folder.ts";
import { StartError } from "./start-error.ts";

/** How long a server may take from holding its store to listening for commands. */
const PATIENCE_MS = 3000;
const RETRY_MS = 100;

/**
 * Reaches the server that runs on the data folder, or opens its store when none does.
 * @param create also when there is no store yet
 * @throws StartError, StoreError
 */
export async function openChannel(config: Config, create: boolean): Promise<AdminChannel> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const client = (await exists(config.data))
      ? await AdminClient.connect(await socketPathOf(config.data))
      : undefined;
    if (client !== undefined) return client;
    if (!create && config.store === undefined && !(await holdsStore(storeFolderOf(config)))) {
      throw new StartError(
        `There is no outline store in "${config.data}": name its folder with --data, or start the server there.`,
      );
    }
    try {
      return await openHere(config, create ? SERVING : { kind: "use" });
    } catch (error) {
      const isHeld = error instanceof StoreError && error.code === "store_locked";
      if (!isHeld || Date.now() > giveUpAt) throw error;
      await delay(RETRY_MS);
    }
  }
}

/** The next start has nothing more to tell of it. */
function tellOfLoss(): void {
  process.stderr.write(`${LOG_LOSS}\n`);
}

async function openHere(config: Config, purpose: Purpose): Promise<AdminChannel> {
  // What the store needs is loaded only when there is no server to ask.
  const { openService } = await import("./open-service.ts");
  const events = { storeEvents: { onLogLoss: tellOfLoss } };
  const service = await openService(config, events, { purpose });
  return {
    run: (operation, params, options) => service.admin.run(operation, params, options),
    close: () => service.close(),
  };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
