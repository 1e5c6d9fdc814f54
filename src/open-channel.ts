import { rmSync } from "node:fs";
import { access, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { AdminChannel } from "./admin/admin-channel.ts";
import { AdminClient } from "./admin/admin-client.ts";
import { socketPathOf } from "./admin/socket-path.ts";
import type { Config } from "./config.ts";
import type { StoreNeed } from "./commands/command.ts";
import { StoreError } from "./documents/log/outline-log.ts";
import { LOG_LOSS } from "./service-events.ts";
import { type Purpose, SERVING } from "./store/purpose.ts";
import { holdsStore } from "./store/level/store-folder.ts";
import { storeFolderOf } from "./store-folder.ts";
import { StartError } from "./start-error.ts";

/** How long a server may take from holding its store to listening for commands. */
const PATIENCE_MS = 3000;
const RETRY_MS = 100;

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Reaches the server that runs on the data folder, or opens its store when none does.
 * @param need to `begin` one there need not be a store yet; what is to be `read` stays as it is
 * @throws StartError, StoreError
 */
export async function openChannel(config: Config, need: StoreNeed): Promise<AdminChannel> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const client = (await exists(config.data))
      ? await AdminClient.connect(await socketPathOf(config.data))
      : undefined;
    if (client !== undefined) return client;
    if (
      need !== "begin" &&
      config.store === undefined &&
      !(await holdsStore(storeFolderOf(config)))
    ) {
      throw new StartError(
        `There is no outline store in "${config.data}": name its folder with --data, or start the server there.`,
      );
    }
    try {
      if (need === "begin") return await openHere(config, SERVING);
      const isRead = need === "read" && config.store === undefined;
      return await (isRead ? openToRead(config) : openHere(config, { kind: "use" }));
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

/** Leaves the data folder as it is, which may be on a disk that can't be written. */
async function openToRead(config: Config): Promise<AdminChannel> {
  const apart = await mkdtemp(join(tmpdir(), "outline-read-"));
  const remove = (): void => rmSync(apart, { recursive: true, force: true });
  const onSignal = (signal: NodeJS.Signals): void => {
    remove();
    // It was asked to end, and is not listening any more.
    process.kill(process.pid, signal);
  };
  const forget = (): void => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
    process.off("exit", remove);
    remove();
  };
  for (const signal of SIGNALS) process.once(signal, onSignal);
  process.once("exit", remove);
  try {
    const channel = await openHere(config, { kind: "read", apart });
    return { ...channel, close: () => channel.close().finally(forget) };
  } catch (error) {
    forget();
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
