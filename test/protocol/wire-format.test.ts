import { describe, expect, test } from "vitest";
import * as encoding from "lib0/encoding";
import { Awareness, encodeAwarenessUpdate as encodeStock } from "y-protocols/awareness";
import { writePermissionDenied } from "y-protocols/auth";
import { writeSyncStep1, writeSyncStep2, writeUpdate } from "y-protocols/sync";
import * as Y from "yjs";
import { encodeAwarenessUpdate, readAwarenessUpdate } from "../../src/protocol/awareness-update.ts";
import { decodeClientMessage, decodeServerMessage } from "../../src/protocol/decode-message.ts";
import { encodeInParts, encodeMessage } from "../../src/protocol/encode-message.ts";
import type { ClientMessage, Message, ServerMessage } from "../../src/protocol/message.ts";

const token = (fill: number): Uint8Array => new Uint8Array(16).fill(fill);
const bytes = (...values: number[]): Uint8Array => new Uint8Array(values);
const hex = (message: Uint8Array): string => Buffer.from(message).toString("hex");

/**
 * Every message with its bytes. Clients of other versions and languages rely on them: a change here
 * is a change of the protocol, which needs a new version and docs/sync-protocol.md.
 */
const FROM_CLIENT: readonly (readonly [ClientMessage, string])[] = [
  [{ kind: "step1", stateVector: bytes(1, 5, 3) }, "000003010503"],
  [{ kind: "step2", update: bytes(0, 0) }, "0001020000"],
  [{ kind: "update", update: bytes(0, 0) }, "0002020000"],
  [{ kind: "awareness", update: bytes(0) }, "010100"],
  [{ kind: "query_awareness" }, "03"],
  [
    { kind: "hello", version: 1, instance: token(7), epoch: "e1", seq: 300 },
    `640110${"07".repeat(16)}026531ac02`,
  ],
  [{ kind: "lease_request", secret: new Uint8Array(16) }, `6610${"00".repeat(16)}`],
  [{ kind: "lease_claim", client: 65_537, clock: 12 }, `678180040c10${"00".repeat(16)}`],
  [{ kind: "time_question" }, "6e"],
];

const FROM_SERVER: readonly (readonly [ServerMessage, string])[] = [
  [{ kind: "time_answer", now: 1_795_176_000_000 }, "6f80d4cfc69f34"],
  [{ kind: "step1", stateVector: bytes(0) }, "00000100"],
  [{ kind: "step2", update: bytes(0, 0) }, "0001020000"],
  [{ kind: "update", update: bytes(0, 0) }, "0002020000"],
  [{ kind: "awareness", update: bytes(0) }, "010100"],
  [{ kind: "query_awareness" }, "03"],
  [{ kind: "permission_denied", reason: "né" }, "0200036ec3a9"],
  [
    {
      kind: "welcome",
      version: 1,
      epoch: "e1",
      head: 300,
      from: "seq",
      access: "read",
      maxMessageBytes: 4096,
    },
    "6501026531ac0200008020",
  ],
  [
    {
      kind: "welcome",
      version: 1,
      epoch: "",
      head: 0,
      from: "state",
      access: "write",
      maxMessageBytes: 1,
    },
    "65010000010101",
  ],
  [{ kind: "lease_kept", client: 5, clock: 7 }, "68000507"],
  [{ kind: "lease_granted", client: 5 }, "68010500"],
  [{ kind: "sequenced", seq: 129, update: bytes(0, 0) }, "698101020000"],
  [{ kind: "caught_up", seq: 129 }, "6a8101"],
  [{ kind: "acknowledged", count: 2, seq: 129 }, "6b028101"],
  [{ kind: "refused", number: 3, code: "x", reason: "why" }, "6c03017803776879"],
  [{ kind: "unavailable", retryAfterMs: 1000 }, "6de807"],
];

describe("the wire format", () => {
  test.each(FROM_CLIENT)("[S1] a client's %j", (message, expected) => {
    expect(hex(encodeMessage(message))).toBe(expected);
    expect(decodeClientMessage(Buffer.from(expected, "hex"))).toEqual(message);
  });

  test.each(FROM_SERVER)("[S1] a server's %j", (message, expected) => {
    expect(hex(encodeMessage(message))).toBe(expected);
    expect(encodeInParts(message).map(hex).join("")).toBe(expected);
    expect(decodeServerMessage(Buffer.from(expected, "hex"))).toEqual(message);
  });

  test("[S2] what stock clients share with us is written as y-protocols writes it", () => {
    const doc = new Y.Doc();
    doc.clientID = 5;
    doc.getText("t").insert(0, "abc");
    const update = Y.encodeStateAsUpdate(doc);
    const stock = (type: number, write: (encoder: encoding.Encoder) => void): string =>
      hex(
        encoding.encode((encoder) => {
          encoding.writeVarUint(encoder, type);
          write(encoder);
        }),
      );
    const ours = (message: Message): string => hex(encodeMessage(message));

    expect(ours({ kind: "step1", stateVector: Y.encodeStateVector(doc) })).toBe(
      stock(0, (encoder) => writeSyncStep1(encoder, doc)),
    );
    expect(ours({ kind: "step2", update })).toBe(
      stock(0, (encoder) => writeSyncStep2(encoder, doc)),
    );
    expect(ours({ kind: "update", update })).toBe(
      stock(0, (encoder) => writeUpdate(encoder, update)),
    );
    expect(ours({ kind: "permission_denied", reason: "no" })).toBe(
      stock(2, (encoder) => writePermissionDenied(encoder, "no")),
    );
  });

  test("[S2] presences are written as y-protocols writes them", () => {
    const doc = new Y.Doc();
    doc.clientID = 5;
    const awareness = new Awareness(doc);
    awareness.setLocalState({ name: "né" });
    const stock = encodeStock(awareness, [5]);
    awareness.destroy();
    const presences = readAwarenessUpdate(stock, { maxPresences: 1 });

    expect(presences).toEqual([
      { client: 5, clock: 1, state: new TextEncoder().encode('{"name":"né"}') },
    ]);
    expect(encodeAwarenessUpdate(presences ?? [])).toEqual(stock);
  });
});
