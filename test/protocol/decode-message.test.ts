import { describe, expect, test } from "vitest";
import { isPresenceState, readAwarenessUpdate } from "../../src/protocol/awareness-update.ts";
import { decodeClientMessage, decodeServerMessage } from "../../src/protocol/decode-message.ts";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import type { Message } from "../../src/protocol/message.ts";
import { hasNothing, readStateVector } from "../../src/protocol/state-vector.ts";
import { seededRandom } from "../support/seeded-random.ts";

const token = new Uint8Array(32).fill(3);
const update = new Uint8Array([1, 2, 3]);
const SAMPLES: readonly Message[] = [
  { kind: "step1", stateVector: update },
  { kind: "step2", update },
  { kind: "update", update },
  { kind: "awareness", update },
  { kind: "hello", version: 1, instance: token, epoch: "e", seq: 1 },
  { kind: "lease_request", secret: token },
  { kind: "lease_claim", client: 1, clock: 2 },
  { kind: "permission_denied", reason: "r" },
  { kind: "lease_kept", client: 1, clock: 2 },
  { kind: "lease_granted", client: 1 },
  { kind: "sequenced", seq: 4, update },
  { kind: "caught_up", seq: 4 },
  { kind: "acknowledged", count: 1, seq: 4 },
  { kind: "refused", number: 1, code: "c", reason: "r" },
  { kind: "unavailable", retryAfterMs: 5 },
];

const decoders = { decodeClientMessage, decodeServerMessage };

describe.each(Object.entries(decoders))("%s", (_name, decode) => {
  test("[S3] a message that ends early is malformed at every byte", () => {
    for (const sample of SAMPLES) {
      const whole = encodeMessage(sample);
      if (decode(whole).kind === "malformed") continue;
      for (let length = 0; length < whole.length; length++) {
        expect(decode(whole.subarray(0, length)).kind, sample.kind).toBe("malformed");
      }
    }
  });

  test("[S3] a message with bytes behind it is malformed", () => {
    for (const sample of SAMPLES) {
      const longer = new Uint8Array([...encodeMessage(sample), 0]);
      expect(decode(longer).kind, sample.kind).toBe("malformed");
    }
  });

  test("[S3] a length never reaches beyond the message, into what lies behind it in memory", () => {
    const memory = new Uint8Array([0, 2, 3, 1, 99, 99]);
    expect(decode(memory.subarray(0, 4)).kind).toBe("malformed");
    expect(decode(new Uint8Array([0, 2, 0xff, 0xff, 0xff, 0xff, 0x0f, 1])).kind).toBe("malformed");
  });

  test("[S3] numbers above 2^53 and unknown types are malformed", () => {
    const large = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    expect(decode(new Uint8Array(large)).kind).toBe("malformed");
    for (const type of [4, 5, 99, 110, 127]) {
      expect(decode(new Uint8Array([type, 0, 0, 0])).kind).toBe("malformed");
    }
    for (const subtype of [3, 9]) {
      expect(decode(new Uint8Array([0, subtype, 0])).kind).toBe("malformed");
    }
  });

  test("[S3] random bytes and flipped bits never throw", () => {
    const random = seededRandom(20);
    const wholes = SAMPLES.map(encodeMessage);
    let wellFormed = 0;
    for (let run = 0; run < 20_000; run++) {
      const whole = wholes[Math.floor(random() * wholes.length)] ?? update;
      const bytes =
        run % 2 === 0
          ? Uint8Array.from({ length: Math.floor(random() * 12) }, () => random() * 256)
          : whole.map((byte) => (random() < 0.2 ? byte ^ (1 << Math.floor(random() * 8)) : byte));
      if (decode(bytes).kind !== "malformed") wellFormed++;
    }
    expect(wellFormed).toBeGreaterThan(100);
    expect(wellFormed).toBeLessThan(19_000);
  });
});

test("[S3] messages that only servers send are malformed from a client, and the reverse", () => {
  const server = encodeMessage({ kind: "caught_up", seq: 1 });
  const client = encodeMessage({ kind: "lease_request", secret: token });
  expect(decodeClientMessage(server).kind).toBe("malformed");
  expect(decodeServerMessage(client).kind).toBe("malformed");
});

test("[S3] tokens and texts out of bounds are malformed", () => {
  const secret = (length: number): string =>
    decodeClientMessage(Uint8Array.of(102, length, ...new Uint8Array(length).fill(9))).kind;
  expect([15, 16, 64, 65].map(secret)).toEqual([
    "malformed",
    "lease_request",
    "lease_request",
    "malformed",
  ]);
  const claim = Uint8Array.of(103, 7, 3, 16, ...new Uint8Array(16).fill(9));
  expect(decodeClientMessage(claim)).toEqual({ kind: "lease_claim", client: 7, clock: 3 });
  const hello = { kind: "hello", version: 1, instance: token, seq: 0 } as const;
  const epoch = (length: number): string =>
    decodeClientMessage(encodeMessage({ ...hello, epoch: "e".repeat(length) })).kind;
  expect([64, 65].map(epoch)).toEqual(["hello", "malformed"]);
  const notUtf8 = encodeMessage({ ...hello, epoch: "é" }).map((byte) =>
    byte === 0xa9 ? 0x20 : byte,
  );
  expect(decodeClientMessage(notUtf8).kind).toBe("malformed");
});

test("[S3] decoded updates keep no larger buffer alive", () => {
  const memory = new Uint8Array(65_536);
  const message = encodeMessage({ kind: "update", update });
  memory.set(message);
  const decoded = decodeClientMessage(memory.subarray(0, message.length));
  expect(decoded).toEqual({ kind: "update", update });
  expect(decoded.kind === "update" && decoded.update.buffer.byteLength).toBe(update.length);
});

test("[S3] state vectors: whole ones are read, everything else is refused", () => {
  expect(readStateVector(new Uint8Array([2, 5, 3, 7, 1]))).toEqual(
    new Map([
      [5, 3],
      [7, 1],
    ]),
  );
  expect(hasNothing(new Uint8Array([0]))).toBe(true);
  expect(hasNothing(new Uint8Array([1, 5, 3]))).toBe(false);
  const large = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
  const short = [[], [1], [1, 5], [1, 5, 3, 0], [0xff, 0xff, 0xff, 0x7f], [2, 5, 3]];
  const broken = [...short, [1, ...large, 3], [1, 5, ...large], [2, 5, 3, 5, 4]];
  for (const bytes of broken) expect(readStateVector(new Uint8Array(bytes))).toBeUndefined();
});

test("[S3] awareness updates: whole ones are read, everything else is refused", () => {
  const one = new Uint8Array([1, 5, 2, 2, 0x7b, 0x7d]);
  const limits = { maxPresences: 2 };
  expect(readAwarenessUpdate(one, limits)).toHaveLength(1);
  for (let length = 0; length < one.length; length++) {
    expect(readAwarenessUpdate(one.subarray(0, length), limits)).toBeUndefined();
  }
  expect(readAwarenessUpdate(new Uint8Array([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]), limits)).toBe(
    undefined,
  );
  const state = (text: string): boolean => isPresenceState(new TextEncoder().encode(text));
  expect(["{}", "null", '{"a":', "", "{}x"].map(state)).toEqual([true, true, false, false, false]);
  expect(isPresenceState(new Uint8Array([0x22, 0xff, 0x22]))).toBe(false);
});
