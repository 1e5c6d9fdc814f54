import {
  isNodeKey,
  isOutlineId,
  isReservedKey,
  type NodeKey,
  ROOT,
  systemNodeOf,
} from "../core/node-key.ts";

/**
 * The key that a node with this full id has in its own outline, so that links to it go on working.
 * A reserved key is believed only within an id of our own shape: in a foreign one its zeros are
 * chance. Undefined for what is no full id.
 */
export function wishedKeyOf(id: string): NodeKey | undefined {
  const digits = id.replaceAll("-", "").toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(digits)) return undefined;
  const key = digits.slice(20);
  if (!isNodeKey(key) || key === ROOT) return undefined;
  if (!isReservedKey(key)) return key;
  return isOutlineId(digits.slice(0, 20)) && systemNodeOf(key) !== undefined ? key : undefined;
}
