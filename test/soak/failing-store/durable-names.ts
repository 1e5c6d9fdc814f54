import * as Y from "yjs";
import type { NodeKey, OutlineId } from "../../../src/core/node-key.ts";
import { Outline } from "../../../src/core/outline.ts";
import type { OutlineLog } from "../../../src/documents/log/outline-log.ts";
import { namesBelow } from "./member.ts";

/** The outline as a log has it, and nobody's memory. */
export async function storedOutline(log: OutlineLog, id: OutlineId): Promise<Outline> {
  const { snapshot, updates } = await log.load(id);
  const doc = new Y.Doc();
  for (const chunk of snapshot?.chunks ?? []) Y.applyUpdate(doc, chunk);
  for (const { update } of updates) Y.applyUpdate(doc, update);
  return Outline.attach(doc, { id, now: Date.now, random: Math.random });
}

export async function durableNames(
  log: OutlineLog,
  id: OutlineId,
  parent: NodeKey,
): Promise<ReadonlySet<string>> {
  return namesBelow(await storedOutline(log, id), parent);
}
