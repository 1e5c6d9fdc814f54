import type { UserId } from "../accounts/account-store.ts";
import type { OutlineId } from "../core/node-key.ts";
import type { ReceiptPlace, Seq } from "../documents/log/outline-log.ts";
import type { KeyRange } from "./database.ts";

/**
 * The keys of the level driver. What the store notes about itself, then the data behind the number
 * of its generation: a restored backup is written as the next generation beside the living one and
 * takes its place by one small write.
 *
 *     meta                          what the store is
 *     probe                         last durable round trip
 *     closed                        last orderly close
 *     garbage/<first key>           a range that is being removed, to its end
 *     <gen>/h/<outline>             head of an outline
 *     <gen>/o/<outline>/u/<seq>     an update
 *     <gen>/o/<outline>/s           its snapshot: sequence number and number of parts
 *     <gen>/o/<outline>/c/<seq>/<part>   a part of the snapshot at seq
 *     <gen>/o/<outline>/b/<client>  who holds a client id
 *     <gen>/o/<outline>/i/<at>/<bytes>/<id>   what a request that may come again was answered
 *     <gen>/o/<outline>/j/<last>    which nodes changed, up to the change of that number
 *     <gen>/o/<outline>/l           what it lost when a backup was put back, or in a repair
 *     <gen>/a/<user>                a user
 *     <gen>/k/<user>/<ordinal>      an API key of a user, in the order in which they were added
 *     <gen>/x/<hash>                where the API key of that hash is
 *     <gen>/s/<user>/<ordinal>      a browser's session of a user, in the same order
 *     <gen>/z/<hash>                where the session of that hash is
 *     <gen>/w/<outline>/<ordinal>   a webhook of an outline, in the same order
 *     <gen>/t/<text>                when a token was taken
 *
 * Numbers are hexadecimal of fixed length, so that the order of the keys is theirs.
 */
export const META_KEY = "meta";
export const PROBE_KEY = "probe";
export const CLOSED_KEY = "closed";

const GARBAGE = "garbage/";
export const GARBAGE_MARKS: KeyRange = below(GARBAGE);

/** Of the numbers of generations: hexadecimal digits. */
export const GENERATIONS: KeyRange = { from: "0", to: "g" };
export const ALL_KEYS: KeyRange = { from: "", to: "\u{7f}" };

/** Keys that start with a text that ends in a slash. `0` is what follows `/` in ASCII. */
function below(prefix: `${string}/`): KeyRange {
  return { from: prefix, to: `${prefix.slice(0, -1)}0` };
}

function hex(value: number, length: number): string {
  return value.toString(16).padStart(length, "0");
}

export function garbageMark(range: KeyRange): string {
  return GARBAGE + range.from;
}

export function firstOfGarbage(mark: string): string {
  return mark.slice(GARBAGE.length);
}

const GENERATION_DIGITS = 4;

/** What of a key stays the same when its record is copied into another generation. */
export function portableKey(key: string): string {
  return key.charAt(GENERATION_DIGITS) === "/" ? key.slice(GENERATION_DIGITS + 1) : key;
}

/** The keys of one generation. */
export class StoreKeys {
  readonly generation: number;
  readonly all: KeyRange;
  readonly heads: KeyRange;
  readonly outlines: KeyRange;
  readonly users: KeyRange;
  /** Everything but outlines. */
  readonly accounts: readonly KeyRange[];
  /** Of the accounts: keys and sessions. */
  readonly credentials: readonly KeyRange[];
  readonly webhooks: KeyRange;
  /** What other generations have. */
  readonly others: readonly KeyRange[];
  readonly #prefix: `${string}/`;

  constructor(generation: number) {
    const prefix = `${hex(generation, GENERATION_DIGITS)}/` as const;
    this.generation = generation;
    this.#prefix = prefix;
    this.all = below(prefix);
    this.heads = below(`${prefix}h/`);
    this.outlines = below(`${prefix}o/`);
    this.users = below(`${prefix}a/`);
    const spaces = (names: readonly string[]): readonly KeyRange[] =>
      names.map((space) => below(`${prefix}${space}/`));
    this.webhooks = below(`${prefix}w/`);
    this.accounts = spaces(["a", "k", "s", "t", "w", "x", "z"]);
    this.credentials = spaces(["k", "s", "x", "z"]);
    const { from, to } = GENERATIONS;
    this.others = [
      { from, to: this.all.from },
      { from: this.all.to, to },
    ];
  }

  /** The key in this generation of a record that has `key` in another one. */
  adopt(key: string): string {
    return this.#prefix + portableKey(key);
  }

  head(outline: OutlineId): string {
    return `${this.#prefix}h/${outline}`;
  }

  outline(outline: OutlineId): KeyRange {
    return below(`${this.#prefix}o/${outline}/`);
  }

  update(outline: OutlineId, seq: Seq): string {
    return `${this.#prefix}o/${outline}/u/${hex(seq, 12)}`;
  }

  /** The updates from `first` to before `end`, or to the end of the log. */
  updates(outline: OutlineId, first: Seq, end?: Seq): KeyRange {
    const { to } = below(`${this.#prefix}o/${outline}/u/`);
    return {
      from: this.update(outline, first),
      to: end === undefined ? to : this.update(outline, end),
    };
  }

  snapshot(outline: OutlineId): string {
    return `${this.#prefix}o/${outline}/s`;
  }

  part(outline: OutlineId, seq: Seq, part: number): string {
    return `${this.#prefix}o/${outline}/c/${hex(seq, 12)}/${hex(part, 6)}`;
  }

  parts(outline: OutlineId, seq: Seq): KeyRange {
    return below(`${this.#prefix}o/${outline}/c/${hex(seq, 12)}/`);
  }

  binding(outline: OutlineId, client: number): string {
    return `${this.#prefix}o/${outline}/b/${hex(client, 14)}`;
  }

  bindings(outline: OutlineId): KeyRange {
    return below(`${this.#prefix}o/${outline}/b/`);
  }

  receipt(outline: OutlineId, { at, bytes, id }: ReceiptPlace): string {
    return `${this.#prefix}o/${outline}/i/${hex(at, 12)}/${hex(bytes, 8)}/${id}`;
  }

  receipts(outline: OutlineId): KeyRange {
    return below(`${this.#prefix}o/${outline}/i/`);
  }

  change(outline: OutlineId, last: number): string {
    return `${this.#prefix}o/${outline}/j/${hex(last, 12)}`;
  }

  /** The records of the changes behind a number. */
  changes(outline: OutlineId, after: number): KeyRange {
    const { to } = below(`${this.#prefix}o/${outline}/j/`);
    return { from: this.change(outline, after + 1), to };
  }

  lost(outline: OutlineId): string {
    return `${this.#prefix}o/${outline}/l`;
  }

  user(user: UserId): string {
    return `${this.#prefix}a/${user}`;
  }

  apiKey(user: UserId, ordinal: number): string {
    return `${this.#prefix}k/${user}/${hex(ordinal, 12)}`;
  }

  apiKeys(user: UserId): KeyRange {
    return below(`${this.#prefix}k/${user}/`);
  }

  hash(hash: string): string {
    return `${this.#prefix}x/${hash}`;
  }

  session(user: UserId, ordinal: number): string {
    return `${this.#prefix}s/${user}/${hex(ordinal, 12)}`;
  }

  sessions(user: UserId): KeyRange {
    return below(`${this.#prefix}s/${user}/`);
  }

  sessionHash(hash: string): string {
    return `${this.#prefix}z/${hash}`;
  }

  webhook(outline: OutlineId, ordinal: number): string {
    return `${this.#prefix}w/${outline}/${hex(ordinal, 12)}`;
  }

  webhooksOf(outline: OutlineId): KeyRange {
    return below(`${this.#prefix}w/${outline}/`);
  }

  token(text: string): string {
    return `${this.#prefix}t/${text}`;
  }
}
