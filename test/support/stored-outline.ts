import type { OutlineId } from "../../src/core/node-key.ts";
import type { LoadedOutline, OutlineLog, Snapshot } from "../../src/documents/log/outline-log.ts";
import { startService, type TestService } from "./service.ts";

/** Limits under which what has happened to an outline stays in its log, update by update. */
export const WITHOUT_SNAPSHOTS = {
  minCompactionBytes: Infinity,
  longTailMs: Infinity,
  unloadTailMs: Infinity,
} as const;

/** An outline as the service itself writes it down. */
export interface StoredOutline {
  readonly snapshot: Snapshot;
  readonly bindings: LoadedOutline["bindings"];
}

/** What a service makes of updates: one snapshot. */
export async function compacted(updates: readonly Uint8Array[]): Promise<StoredOutline> {
  let onCompaction: () => void = () => undefined;
  const written = new Promise<void>((resolve) => (onCompaction = resolve));
  const service = await startService({
    documentLimits: { minCompactionBytes: 1 },
    documentEvents: { onCompaction },
  });
  const outline = await outlineOf(service);
  await service.store.log.append(outline, { updates });
  const { release } = await service.documents.open(outline);
  await written;
  release();
  const { snapshot, bindings } = await service.store.log.load(outline);
  await service.close();
  if (snapshot === undefined) throw new Error("there is no snapshot");
  return { snapshot, bindings };
}

/** Puts it into a log, as an outline that has nothing yet, with updates behind the snapshot. */
export async function plant(
  log: OutlineLog,
  outline: OutlineId,
  { snapshot, bindings }: StoredOutline,
  tail: readonly Uint8Array[],
): Promise<void> {
  await log.append(outline, {
    updates: Array.from({ length: snapshot.seq }, () => new Uint8Array([0, 0])),
    bindings: [...bindings].map(([client, holder]) => ({ client, holder })),
  });
  await log.saveSnapshot(outline, { ...snapshot, chunks: [...snapshot.chunks] });
  if (tail.length > 0) await log.append(outline, { updates: tail });
}

/** The one of the service's user. */
export async function outlineOf({ accounts, key }: TestService): Promise<OutlineId> {
  const principal = await accounts.authenticate(key);
  if (principal === undefined) throw new Error("the key is not valid");
  return principal.outline;
}
