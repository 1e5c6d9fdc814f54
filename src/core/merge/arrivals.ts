import { getOrMake } from "../get-or-make.ts";
import { countWhile } from "../count-while.ts";
import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import type { ItemId } from "../yjs/item-id.ts";

/** How far behind an arrival must be before it is remembered less exactly. */
const EXACT_SPAN = 512;
/** Entries of one client that are kept without asking whether fewer would do. */
const MIN_THINNED = 64;
const FORMAT = 1;

/** Memory of a client, and of each entry: two numbers in arrays that have grown. */
const CLIENT_BYTES = 350;
const ENTRY_BYTES = 20;

interface ClientArrivals {
  /** Ascending: what the client wrote below this clock … */
  ends: number[];
  /** … had arrived by this sequence number. */
  seqs: number[];
  /** The length from which on it is thinned again. */
  thinAt: number;
}

function newArrivals(): ClientArrivals {
  return { ends: [], seqs: [], thinAt: MIN_THINNED };
}

/**
 * Remembers with which update of the log each item arrived, so that it can be told what a deleter
 * who had seen the log up to a sequence number had not seen.
 *
 * What arrived n updates ago is known to within n/512 updates, so that memory grows with the
 * logarithm of the history. It is never dated too early: in doubt somebody had not seen it, and
 * nothing is lost.
 */
export class Arrivals {
  readonly #clients = new Map<number, ClientArrivals>();
  #latest = 0;
  /** Of all clients. */
  #entries = 0;

  /** Memory that it takes, estimated. O(1). */
  get bytes(): number {
    return this.#clients.size * CLIENT_BYTES + this.#entries * ENTRY_BYTES;
  }

  /** The highest sequence number so far. */
  get latest(): number {
    return this.#latest;
  }

  /** Notes that what `client` wrote below the clock `end` is there with update `seq`. */
  note(client: number, end: number, seq: number): void {
    this.#latest = Math.max(this.#latest, seq);
    const arrivals = getOrMake(this.#clients, client, newArrivals);
    const { ends, seqs } = arrivals;
    const last = ends.length - 1;
    if (end <= (ends[last] ?? 0)) return;
    if (seqs[last] === seq) {
      ends[last] = end;
      return;
    }
    ends.push(end);
    seqs.push(seq);
    this.#entries++;
    if (ends.length >= arrivals.thinAt) this.#thin(arrivals);
  }

  /** The update with which an item arrived; infinity when it has not been noted. */
  seqOf({ client, clock }: ItemId): number {
    const arrivals = this.#clients.get(client);
    if (arrivals === undefined) return Number.POSITIVE_INFINITY;
    const { ends, seqs } = arrivals;
    const before = countWhile(ends.length, (index) => (ends[index] ?? 0) <= clock);
    return seqs[before] ?? Number.POSITIVE_INFINITY;
  }

  /** The clock below which what `client` wrote had arrived by an update. */
  endAt(client: number, seq: number): number {
    const arrivals = this.#clients.get(client);
    if (arrivals === undefined) return 0;
    let end = 0;
    for (const [index, each] of arrivals.seqs.entries()) {
      if (each > seq) break;
      end = arrivals.ends[index] ?? end;
    }
    return end;
  }

  encode(encoder: encoding.Encoder): void {
    encoding.writeVarUint(encoder, FORMAT);
    encoding.writeVarUint(encoder, this.#latest);
    encoding.writeVarUint(encoder, this.#clients.size);
    for (const [client, arrivals] of this.#clients) {
      this.#thin(arrivals);
      encoding.writeVarUint(encoder, client);
      encoding.writeVarUint(encoder, arrivals.ends.length);
      let end = 0;
      let seq = 0;
      for (const [index, each] of arrivals.ends.entries()) {
        encoding.writeVarUint(encoder, each - end);
        encoding.writeVarUint(encoder, (arrivals.seqs[index] ?? 0) - seq);
        end = each;
        seq = arrivals.seqs[index] ?? 0;
      }
    }
  }

  /** @throws when the bytes are not what `encode` wrote */
  static decode(decoder: decoding.Decoder): Arrivals {
    if (decoding.readVarUint(decoder) !== FORMAT) throw new Error("unknown format of arrivals");
    const arrivals = new Arrivals();
    const latest = decoding.readVarUint(decoder);
    for (let clients = decoding.readVarUint(decoder); clients > 0; clients--) {
      const client = decoding.readVarUint(decoder);
      let end = 0;
      let seq = 0;
      for (let entries = decoding.readVarUint(decoder); entries > 0; entries--) {
        end += decoding.readVarUint(decoder);
        seq += decoding.readVarUint(decoder);
        arrivals.note(client, end, seq);
      }
    }
    arrivals.#latest = Math.max(arrivals.#latest, latest);
    return arrivals;
  }

  /** Keeps the last entry of each window; windows grow with the distance to the latest update. */
  #thin(arrivals: ClientArrivals): void {
    const ends: number[] = [];
    const seqs: number[] = [];
    for (const [index, seq] of arrivals.seqs.entries()) {
      const window = 2 ** Math.max(0, Math.floor(Math.log2((this.#latest - seq) / EXACT_SPAN)));
      const previous = seqs.at(-1);
      if (previous !== undefined && Math.floor(previous / window) === Math.floor(seq / window)) {
        ends.pop();
        seqs.pop();
      }
      ends.push(arrivals.ends[index] ?? 0);
      seqs.push(seq);
    }
    this.#entries += ends.length - arrivals.ends.length;
    arrivals.ends = ends;
    arrivals.seqs = seqs;
    arrivals.thinAt = Math.max(MIN_THINNED, ends.length * 2);
  }
}
