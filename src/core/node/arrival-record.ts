import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import { isSecond, LATEST_SECOND } from "../schema.ts";

/** What a client wrote at the clocks `[from, end)` came to the server at a time. */
export interface ArrivalRange {
  readonly from: number;
  readonly end: number;
  /** Unix seconds. */
  readonly at: number;
}

const FORMAT = 1;

/** What came from each client; its ranges ascend. */
export type ClientArrivals = ReadonlyMap<number, readonly ArrivalRange[]>;

/**
 * Writes when things came: format, the earliest time, and for each client its id and its ranges,
 * each by its distance to the one before, its length, and its time behind the earliest. One range
 * takes three to five bytes.
 */
export function encodeArrivals(arrivals: ClientArrivals): Uint8Array {
  const times = [...arrivals.values()].flatMap((ranges) => ranges.map(({ at }) => at));
  const earliest = times.reduce((least, at) => Math.min(least, at), LATEST_SECOND);
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, FORMAT);
    encoding.writeVarUint(encoder, earliest);
    encoding.writeVarUint(encoder, arrivals.size);
    for (const [client, own] of arrivals) {
      encoding.writeVarUint(encoder, client);
      encoding.writeVarUint(encoder, own.length);
      let clock = 0;
      for (const { from, end, at } of own) {
        encoding.writeVarUint(encoder, from - clock);
        encoding.writeVarUint(encoder, end - from);
        encoding.writeVarUint(encoder, at - earliest);
        clock = end;
      }
    }
  });
}

/** Reads what `encodeArrivals` wrote; nothing of anything else. */
export function decodeArrivals(bytes: Uint8Array): ClientArrivals {
  try {
    return readArrivals(decoding.createDecoder(bytes));
  } catch {
    return new Map();
  }
}

function readArrivals(decoder: decoding.Decoder): ClientArrivals {
  const arrivals = new Map<number, ArrivalRange[]>();
  if (decoding.readVarUint(decoder) !== FORMAT) return arrivals;
  const earliest = decoding.readVarUint(decoder);
  for (let clients = decoding.readVarUint(decoder); clients > 0; clients--) {
    const client = decoding.readVarUint(decoder);
    const ranges: ArrivalRange[] = [];
    let clock = 0;
    for (let left = decoding.readVarUint(decoder); left > 0; left--) {
      const from = clock + decoding.readVarUint(decoder);
      const end = from + decoding.readVarUint(decoder);
      const at = earliest + decoding.readVarUint(decoder);
      if (isSecond(at) && Number.isSafeInteger(end)) ranges.push({ from, end, at });
      clock = end;
    }
    arrivals.set(client, ranges);
  }
  return arrivals;
}
