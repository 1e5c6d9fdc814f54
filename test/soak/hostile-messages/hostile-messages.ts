import type { Random } from "../../../src/core/node-key.ts";
import { encodeAwarenessUpdate, GONE } from "../../../src/protocol/awareness-update.ts";
import { encodeMessage } from "../../../src/protocol/encode-message.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";
import { HostileUpdates, type OthersPlace } from "./hostile-updates.ts";

const HUGE_NUMBERS = [0, 1, 127, 128, 2 ** 31, 2 ** 32, 2 ** 48, 2 ** 53 - 1];
const STATES = ["{}", "[]", "1", '"x"', '{"__proto__":{"a":1}}', `"${"x".repeat(4_000)}"`];
const NO_STATES = ["[".repeat(2_000), "{", "", `"${"x".repeat(5_000)}"`, "\xff"];

function bytes(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random() * 256);
}

/** Messages of the protocol with wrong things in them. */
export class HostileMessages {
  readonly #random: Random;
  readonly #updates: HostileUpdates;
  readonly #others: () => readonly OthersPlace[];

  constructor(random: Random, others: () => readonly OthersPlace[]) {
    this.#random = random;
    this.#others = others;
    this.#updates = new HostileUpdates(random, others);
  }

  /** The bytes of an update that nobody should send. */
  update(): Uint8Array {
    return this.#updates.next();
  }

  /** A message that is no update, and that a connection may outlive. */
  other(): Uint8Array {
    const random = this.#random;
    const roll = random();
    if (roll < 0.9) return encodeMessage({ kind: "awareness", update: this.#presences(STATES) });
    if (roll < 0.95) return encodeMessage({ kind: "step1", stateVector: this.#stateVector() });
    return encodeMessage({ kind: "query_awareness" });
  }

  /** A question of clients of before, for an id or for somebody else's. */
  claim(): Uint8Array {
    if (this.#random() < 0.2)
      return encodeMessage({ kind: "lease_request", secret: bytes(this.#random, 16) });
    const { client, clock } = this.#anyPlace();
    return encodeMessage({ kind: "lease_claim", client, clock });
  }

  /** A greeting with wrong values: positions from the future, other histories, versions. */
  hello(): Uint8Array {
    const random = this.#random;
    return encodeMessage({
      kind: "hello",
      version: oneOf(random, HUGE_NUMBERS),
      instance: bytes(random, 16 + integerBelow(random, 49)),
      epoch: oneOf(random, ["", "0", "another", "\0", "e".repeat(64)]),
      seq: oneOf(random, HUGE_NUMBERS),
    });
  }

  /** A message for which a connection is closed. */
  ending(): Uint8Array {
    const random = this.#random;
    const message = oneOf<() => Uint8Array>(random, [
      () => new Uint8Array([integerBelow(random, 256), ...bytes(random, 20)]),
      () => encodeMessage({ kind: "awareness", update: bytes(random, 30) }),
      () => encodeMessage({ kind: "awareness", update: this.#presences(NO_STATES) }),
      () => encodeMessage({ kind: "step1", stateVector: bytes(random, 30) }),
      () => new Uint8Array(0),
      () => encodeMessage({ kind: "hello", ...this.#wrongHello() }),
      () => encodeMessage({ kind: "lease_claim", client: 1, clock: 1 }).subarray(0, 8),
      () => encodeMessage({ kind: "caught_up", seq: 2 ** 53 - 1 }),
      () => encodeMessage({ kind: "acknowledged", count: 2 ** 53 - 1, seq: 1 }),
      () => encodeMessage({ kind: "sequenced", seq: 1, update: this.update() }),
      () => encodeMessage({ kind: "permission_denied", reason: "you are" }),
      () => encodeMessage({ kind: "unavailable", retryAfterMs: 0 }),
      () => new Uint8Array([...encodeMessage({ kind: "update", update: this.update() }), 0]),
      () => this.hello().subarray(0, integerBelow(random, 10)),
    ])();
    return message;
  }

  #wrongHello() {
    const random = this.#random;
    const instance = bytes(random, oneOf(random, [0, 15, 65, 200]));
    return { version: 1, instance, epoch: "e".repeat(integerBelow(random, 200)), seq: 0 };
  }

  #anyPlace(): OthersPlace {
    const random = this.#random;
    const others = this.#others();
    if (others.length > 0 && random() < 0.7) return oneOf(random, others);
    return { client: oneOf(random, HUGE_NUMBERS), clock: oneOf(random, HUGE_NUMBERS) };
  }

  /** Presences of others, that end others', with clocks from the future and states of all sorts. */
  #presences(states: readonly string[]): Uint8Array {
    const random = this.#random;
    const count = 1 + integerBelow(random, random() < 0.1 ? 900 : 4);
    return encodeAwarenessUpdate(
      Array.from({ length: count }, () => ({
        client: this.#anyPlace().client,
        clock: oneOf(random, HUGE_NUMBERS),
        state: random() < 0.3 ? GONE : Buffer.from(oneOf(random, states)),
      })),
    );
  }

  #stateVector(): Uint8Array {
    const random = this.#random;
    const entries = Array.from({ length: integerBelow(random, 20) }, () => this.#anyPlace());
    const numbers = entries.flatMap(({ client, clock }) => [client, clock]);
    return new Uint8Array([entries.length, ...numbers.flatMap(varUint)]);
  }
}

function varUint(value: number): readonly number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push(128 | (rest % 128));
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
}
