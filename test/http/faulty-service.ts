import { onTestFinished } from "vitest";
import { FaultyLog } from "../documents/support/faulty-log.ts";
import { startService, type TestService } from "../support/service.ts";
import { MemoryStore } from "../support/memory-store/memory-store.ts";

/** A service, until the test ends, on a log that can be made to fail. */
export async function faultyService(): Promise<{ service: TestService; log: FaultyLog }> {
  const store = new MemoryStore();
  const log = new FaultyLog(store.log);
  const { accounts } = store;
  const service = await startService({ store: { log, accounts, close: () => store.close() } });
  onTestFinished(async () => {
    log.recover();
    await service.close();
  });
  return { service, log };
}
