import { mergedRanges } from "../yjs/clock-ranges.ts";
import { inOneGo } from "../in-one-go.ts";
import { encodePlan, type Run } from "./update-plan.ts";
import { type DecodedUpdate, readUpdate } from "./update-reader.ts";
import { mergedUpdate } from "../yjs/merged-update.ts";

/** What is in a log was judged when it came. */
const UNLIMITED = { maxStructs: Infinity, maxDeleteRanges: () => Infinity };

/**
 * One update that says what all of them say. Those of a log follow each other without gaps, so their
 * structs are copied behind each other as they stand. Yjs would make each of them anew, and merge
 * 64 keystrokes in fifteen times the time. Others are left to Yjs.
 *
 * @param updates at least one, in their order
 */
export function joinedUpdates(updates: readonly Uint8Array[]): Uint8Array {
  const [first] = updates;
  if (first !== undefined && updates.length === 1) return first;
  const joined = new Joined();
  return updates.every((update) => joined.add(update)) ? joined.encode() : mergedUpdate(updates);
}

class Joined {
  readonly #runs: Run[] = [];
  /** The clock behind each client's last struct. */
  readonly #ends = new Map<number, number>();
  /** Clock and length of each range that is deleted, by client. */
  readonly #deletes = new Map<number, number[]>();

  /** False when the update does not follow those before it, or has what is not written any more. */
  add(update: Uint8Array): boolean {
    const decoded = decodedOf(update);
    if (decoded === undefined) return false;
    for (const { client, source, structs } of decoded.sections) {
      const [first] = structs;
      const last = structs.at(-1);
      if (first === undefined || last === undefined) continue;
      if ((this.#ends.get(client) ?? first.clock) !== first.clock) return false;
      this.#ends.set(client, last.clock + last.length);
      this.#runs.push({ client, source, structs, from: 0, to: structs.length });
    }
    for (const { client, ranges } of decoded.deletes) {
      const known = this.#deletes.get(client);
      if (known === undefined) this.#deletes.set(client, [...ranges]);
      else for (const number of ranges) known.push(number);
    }
    return true;
  }

  encode(): Uint8Array {
    const deletes = [...this.#deletes].map(([client, ranges]) => ({
      client,
      ranges: mergedRanges(ranges),
    }));
    // As Yjs writes them: what it merges later is lost where a higher client stands behind a lower one.
    const runs = this.#runs.toSorted((one, other) => other.client - one.client);
    return encodePlan({ runs, deletes });
  }
}

function decodedOf(update: Uint8Array): DecodedUpdate | undefined {
  try {
    return inOneGo(readUpdate(update, UNLIMITED));
  } catch {
    return undefined;
  }
}
