import type { UserId } from "../../../src/accounts/account-store.ts";
import { newOutlineId, type OutlineId } from "../../../src/core/node-key.ts";
import * as Y from "yjs";
import type { LoadedOutline } from "../../../src/documents/log/outline-log.ts";
import type { LevelStore } from "../../../src/store/level/level-store.ts";
import type { StoreOrigin } from "../../../src/store/store-move.ts";

const DAY = 86_400;
const NOW = 1_800_000_000;

/** Outlines of every shape, and two users, one of whom has no key any more. */
export async function fill(
  { log, accounts }: LevelStore,
  count = 4,
): Promise<readonly OutlineId[]> {
  const outlines = Array.from({ length: count }, () => newOutlineId(Math.random));
  for (const [index, outline] of outlines.entries()) {
    const doc = new Y.Doc();
    const updates: Uint8Array[] = [];
    doc.on("update", (update) => updates.push(update));
    const write = async (text: string): Promise<void> => {
      doc.getText("text").insert(0, text);
      await log.append(outline, { updates: updates.splice(0) });
    };
    await write("one");
    await write("x".repeat(100_000 * index + 1));
    if (index > 0) {
      await log.saveSnapshot(outline, {
        seq: 2,
        chunks: [Y.encodeStateAsUpdate(doc)],
        stateVector: Y.encodeStateVector(doc),
        annex: Uint8Array.of(0, 255),
        ...(index > 1 && { memoryBytes: 12.5 }),
      });
    }
    await write("three");
    await log.append(outline, {
      updates: [],
      bindings: [
        { client: doc.clientID, holder: { kind: "bound", keyId: "k\0\uD800" } },
        { client: 7, holder: { kind: "server" } },
      ],
      receipts: {
        added: [{ id: "ab".repeat(16), at: NOW * 1000 + index, bytes: 2, answer: Buffer.of(1, 2) }],
        removed: [],
      },
    });
  }
  await log.drop(newOutlineId(Math.random));
  await addUser(accounts, "ann", outlines[0]);
  await addUser(accounts, "bob", outlines[1]);
  await accounts.removeKey("bob" as UserId, "bob1");
  return outlines;
}

async function addUser(
  accounts: LevelStore["accounts"],
  name: string,
  outline: OutlineId | undefined,
): Promise<void> {
  const user = name as UserId;
  if (outline === undefined) throw new Error("no outline");
  const key = (number: number) => ({
    id: `${name}${number}`,
    user,
    hash: `${name}${number}`.padEnd(64, "0"),
    name: number === 1 ? "first \uD83D" : `nr. ${number}`,
    scope: number === 2 ? ("read" as const) : ("write" as const),
    root: undefined,
    maker: number === 3 ? `${name}1` : undefined,
    createdAt: NOW + number,
    lastUsedAt: undefined,
    expiresAt: number === 2 ? NOW + DAY : undefined,
  });
  await accounts.addUser({ id: user, outline, createdAt: NOW }, key(1));
  for (const number of [3, 2]) await accounts.addKey(key(number));
  await accounts.touchKey(key(1).hash, NOW + 60);
  for (const number of [2, 1]) {
    const id = `${name}-session${number}`;
    const { id: keyId, hash: keyHash } = key(1);
    await accounts.addSession(
      {
        id,
        user,
        hash: id.padEnd(64, "0"),
        keyId,
        keyHash,
        browser: "Firefox",
        createdAt: NOW + number,
        lastUsedAt: NOW + number,
        expiresAt: NOW + DAY,
      },
      10,
    );
  }
  const { id: keyId, hash: keyHash } = key(1);
  for (const number of [2, 1]) {
    await accounts.addWebhook(
      {
        id: `${name}-hook${number}`,
        user,
        outline,
        keyId,
        keyHash,
        name: "\uD83D",
        url: "https://example.org/\u0000",
        fields: "ids",
        secret: "whsec_",
        createdAt: NOW,
        revision: number,
        cursor: "cursor",
        ...(number === 1 && { reached: { epoch: "epoch", head: 3 } }),
      },
      { keyId, sessionId: undefined },
      10,
    );
  }
}

/** Everything in a store that a move takes along. */
export async function contentsOf({ log, accounts }: StoreOrigin): Promise<unknown> {
  const outlines: Record<string, unknown> = {};
  for await (const outline of log.outlines()) {
    const { epoch: _differs, epochOrdinal: _too, bindings, ...loaded } = await log.load(outline);
    const receipts = await Promise.all(
      (await log.receipts(outline)).map(async (place) => {
        const answer = await log.receipt(outline, place);
        return { ...place, answer: answer && hex(answer) };
      }),
    );
    const { snapshot, updates, lost } = loaded;
    outlines[outline] = {
      head: loaded.head,
      stateVector: stateVectorOf(loaded),
      bindings: [...bindings],
      receipts,
      lost: lost && [...lost],
      updates: updates.map(({ seq, update }) => [seq, hex(update)]),
      snapshot: snapshot && {
        ...snapshot,
        chunks: snapshot.chunks.map(hex),
        stateVector: hex(snapshot.stateVector),
        annex: hex(snapshot.annex),
      },
    };
  }
  const users = [];
  for (const user of await accounts.users()) {
    const keys = await accounts.keysOf(user.id);
    const sessions = await accounts.sessionsOf(user.id);
    users.push({ user, keys, sessions, webhooks: await accounts.webhooksOf(user.outline) });
  }
  return JSON.parse(JSON.stringify({ outlines, users }));
}

function stateVectorOf({ snapshot, updates }: Pick<LoadedOutline, "snapshot" | "updates">) {
  const doc = new Y.Doc();
  for (const chunk of snapshot?.chunks ?? []) Y.applyUpdate(doc, chunk);
  for (const { update } of updates) Y.applyUpdate(doc, update);
  return hex(Y.encodeStateVector(doc));
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
