import { expect, test } from "vitest";

import type { ChangedNodes } from "../../src/core/change-recorder.ts";
import type { NodeKey, OutlineId } from "../../src/core/node-key.ts";
import { NOWHERE } from "../../src/core/tree/places-before.ts";
import { encodeChanges } from "../../src/documents/replica/change-record.ts";
import type { SessionRecord, User, UserId } from "../../src/accounts/account-store.ts";
import { levelFolders, recordsOf } from "./support/level-folder.ts";

const { newFolder, open } = levelFolders();

test("[P21] the stored layout is what it was: another needs a new format number", async () => {
  const folder = await newFolder();
  const store = await open(folder, {
    now: () => 1_700_000_000_123,
    randomBytes: (length) => new Uint8Array(length).fill(0xab),
    tail: { updates: 1, bytes: 100 },
  });
  const outline = "0123456789ab81238abc" as OutlineId;
  const user: User = { id: "me" as UserId, outline, createdAt: 1_700_000_000 };
  await store.accounts.addUser(user, {
    id: "key_1",
    user: user.id,
    hash: "cd".repeat(32),
    name: "first",
    scope: "write",
    root: undefined,
    maker: undefined,
    createdAt: 1_700_000_000,
    lastUsedAt: undefined,
    expiresAt: undefined,
  });
  await store.accounts.addKey({
    id: "key_2",
    user: user.id,
    hash: "ef".repeat(32),
    name: "made",
    scope: "read",
    root: undefined,
    maker: "key_1",
    createdAt: 1_700_000_001,
    lastUsedAt: undefined,
    expiresAt: 1_800_000_000,
  });
  const session: SessionRecord = {
    id: "session_1",
    user: user.id,
    hash: "12".repeat(32),
    keyId: "key_1",
    keyHash: "cd".repeat(32),
    browser: "Firefox on Linux",
    createdAt: 1_700_000_002,
    lastUsedAt: 1_700_000_003,
    expiresAt: 1_700_000_004,
  };
  await store.accounts.addSession(session, 1);
  const keyOf = (digit: string): NodeKey => digit.repeat(12) as NodeKey;
  const changed: ChangedNodes = new Map([
    [keyOf("a"), undefined],
    [keyOf("b"), NOWHERE],
    [keyOf("c"), { parent: keyOf("a"), isHidden: false }],
    [keyOf("d"), { parent: keyOf("b"), isHidden: true }],
  ]);
  await store.log.append(outline, {
    updates: [Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)],
    bindings: [{ client: 65_537, holder: { kind: "server" } }],
    changes: {
      added: [{ last: 4, data: encodeChanges(1_700_000_005, changed) }],
      removed: [],
    },
  });

  await store.log.saveSnapshot(outline, {
    seq: 2,
    chunks: [Uint8Array.of(9, 8), new Uint8Array(1000)],
    stateVector: Uint8Array.of(7),
    annex: Uint8Array.of(),
  });
  await store.log.takeToken("export:me", 1000);
  await store.close();

  const hex = (value: Uint8Array) => Buffer.from(value).toString("hex");
  const records = (await recordsOf(folder)).map(({ key, value }) => `${key} ${hex(value)}`);
  expect(records).toMatchInlineSnapshot(`
    [
      "0000/a/me d4581159007b226964223a226d65222c226f75746c696e65223a223031323334353637383961623831323338616263222c22637265617465644174223a313730303030303030307d",
      "0000/h/0123456789ab81238abc 364c504c00000000000003",
      "0000/k/me/000000000000 4042ebf7007b226964223a226b65795f31222c2275736572223a226d65222c2268617368223a2263646364636463646364636463646364636463646364636463646364636463646364636463646364636463646364636463646364636463646364636463646364222c226e616d65223a226669727374222c2273636f7065223a227772697465222c22637265617465644174223a313730303030303030307d",
      "0000/k/me/000000000001 73918f09007b226964223a226b65795f32222c2275736572223a226d65222c2268617368223a2265666566656665666566656665666566656665666566656665666566656665666566656665666566656665666566656665666566656665666566656665666566222c226e616d65223a226d616465222c2273636f7065223a2272656164222c226d616b6572223a226b65795f31222c22637265617465644174223a313730303030303030312c22657870697265734174223a313830303030303030307d",
      "0000/o/0123456789ab81238abc/b/00000000010001 4f0e06d6007b226b696e64223a22736572766572227d",
      "0000/o/0123456789ab81238abc/c/000000000002/000000 647e83630007",
      "0000/o/0123456789ab81238abc/c/000000000002/000001 035ae27900",
      "0000/o/0123456789ab81238abc/c/000000000002/000002 3c8cccdb000908",
      "0000/o/0123456789ab81238abc/c/000000000002/000003 65d971d3011be703002000a2b1404203",
      "0000/o/0123456789ab81238abc/j/000000000004 b42ffd6b000185e2cfaa0604aaaaaaaaaaaa00bbbbbbbbbbbb01cccccccccccc02aaaaaaaaaaaadddddddddddd03bbbbbbbbbbbb",
      "0000/o/0123456789ab81238abc/s 88b9f7430000000000000200000004",
      "0000/o/0123456789ab81238abc/u/000000000003 8b7464670003",
      "0000/s/me/000000000000 504110e8007b226964223a2273657373696f6e5f31222c2275736572223a226d65222c2268617368223a2231323132313231323132313231323132313231323132313231323132313231323132313231323132313231323132313231323132313231323132313231323132222c226b65794964223a226b65795f31222c226b657948617368223a2263646364636463646364636463646364636463646364636463646364636463646364636463646364636463646364636463646364636463646364636463646364222c2262726f77736572223a2246697265666f78206f6e204c696e7578222c22637265617465644174223a313730303030303030322c226c617374557365644174223a313730303030303030332c22657870697265734174223a313730303030303030347d",
      "0000/t/export:me b661778c0031373030303030303030313233",
      "0000/x/cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd 7d3a6e8a007b2275736572223a226d65222c226f7264696e616c223a307d",
      "0000/x/efefefefefefefefefefefefefefefefefefefefefefefefefefefefefefefef bbad4c37007b2275736572223a226d65222c226f7264696e616c223a317d",
      "0000/z/1212121212121212121212121212121212121212121212121212121212121212 5661fe16007b2275736572223a226d65222c226f7264696e616c223a307d",
      "closed 8664bcc40022616261626162616261626162616261626162616222",
      "meta 88876dab007b22666f726d6174223a342c2265706f6368223a226162616261626162616261626162616261626162222c2265706f63684f7264696e616c223a302c2267656e65726174696f6e223a302c226e616d65223a226162616261626162227d",
    ]
  `);
});

test("[P21] the memory of a snapshot is behind what its record had before, which is read without", async () => {
  const folder = await newFolder();
  const store = await open(folder);
  const outline = "0123456789ab81238abc" as OutlineId;
  await store.log.append(outline, { updates: [Uint8Array.of(1)] });
  const parts = { chunks: [], stateVector: Uint8Array.of(), annex: Uint8Array.of() };
  await store.log.saveSnapshot(outline, { seq: 1, ...parts, memoryBytes: 0x0102_0304 });
  await store.close();
  const [header] = (await recordsOf(folder)).filter(({ key }) => key.endsWith("/s"));
  // Behind checksum and codec: the number, the parts, the memory.
  expect(
    Buffer.from(header?.value ?? [])
      .toString("hex")
      .slice(10),
  ).toBe("00000000000100000002000001020304");
});
