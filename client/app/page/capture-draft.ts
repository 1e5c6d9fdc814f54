import { isNodeKey, type NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { isRecord } from "./is-record.ts";
import type { PageStorage } from "./page-storage.ts";

/** A thought that is being typed. */
export interface CaptureDraft {
  /** Of the line that it becomes: once there is that line, the thought is captured. */
  readonly key: NodeKey;
  readonly text: string;
}

const NAME = "draft";

/** What was typed and not captured; an empty one when there is none of this outline. */
export function readDraft(storage: PageStorage, outline: Outline): CaptureDraft {
  const value = storage.read(NAME);
  const left = isRecord(value) && value["outline"] === outline.id ? draftOf(value) : undefined;
  if (left !== undefined && !outline.isTaken(left.key)) return left;
  return { key: outline.freeKey(), text: "" };
}

function draftOf({ key, text }: Readonly<Record<string, unknown>>): CaptureDraft | undefined {
  if (typeof key !== "string" || !isNodeKey(key) || typeof text !== "string") return undefined;
  return { key, text };
}

export function keepDraft(
  storage: PageStorage,
  { id }: Outline,
  { key, text }: CaptureDraft,
): void {
  storage.write(NAME, text === "" ? undefined : { outline: id, key, text });
}

/** @param key forgets it only while it is of that line */
export function forgetDraft(storage: PageStorage, key?: NodeKey): void {
  const value = storage.read(NAME);
  const isAnother = key !== undefined && isRecord(value) && value["key"] !== key;
  if (!isAnother) storage.write(NAME, undefined);
}
