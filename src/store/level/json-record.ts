import type { Operation } from "../database.ts";
import { putSealed, unseal } from "../record.ts";

/** Stores a value as JSON under a key. */
export function putJson(key: string, value: unknown): Operation {
  return putSealed(key, Buffer.from(JSON.stringify(value)));
}

/**
 * What `putJson` has stored under the key. `T` is what the driver puts under such keys: the checksum
 * shows that nobody else has written it.
 * @throws DamagedRecordError
 */
export function jsonOf<T>(key: string, value: Uint8Array): T {
  return JSON.parse(Buffer.from(unseal(key, value)).toString()) as T;
}
