import { StoreError } from "./replica-store.ts";

/** A record as it is stored: as JSON, so that all stores keep the same. Undefined: no record. */
export function textOfRecord(name: string, value: unknown): string | undefined {
  try {
    return value === undefined ? undefined : JSON.stringify(value);
  } catch (cause) {
    throw new StoreError("failed", `the record ${name} is no JSON value`, { cause });
  }
}

/** The value of a stored record; undefined when there is none, or when it can't be read. */
export function recordOf(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
