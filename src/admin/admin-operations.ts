import { z } from "zod";
import { isLayout, type Layout } from "../core/node/layout.ts";
import { isNodeKey, isOutlineId, type NodeKey, type OutlineId } from "../core/node-key.ts";

/*
 * What the command asks of a running server, or of the store itself when none is running: one table,
 * from which both ends of the channel have their types and check what they get. Items are what an
 * operation answers, one after the other; their schemas carry them to JSON and back.
 */

const raw = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
const bytes = z.codec(z.base64(), raw, {
  decode: (base64) => Buffer.from(base64, "base64"),
  encode: (array) => Buffer.from(array).toString("base64"),
});
const outlineId = z.custom<OutlineId>((value) => typeof value === "string" && isOutlineId(value));
const nodeKey = z.custom<NodeKey>((value) => typeof value === "string" && isNodeKey(value));
/** Unix seconds. */
const time = z.int().nonnegative();
const nothing = z.strictObject({});
const ofUser = z.strictObject({ user: z.string() });
const inFolder = z.strictObject({ folder: z.string() });

/** An entry of an import on its way to the server. */
export const EntrySchema = z.strictObject({
  depth: z.int().nonnegative(),
  name: z.string(),
  note: z.string().exactOptional(),
  layout: z.custom<Layout>(isLayout),
  completedAt: z.union([time, z.literal("unknown")]).exactOptional(),
  createdAt: time.exactOptional(),
  modifiedAt: time.exactOptional(),
  key: nodeKey.exactOptional(),
  origin: nodeKey.exactOptional(),
});

const listedKey = z.strictObject({
  id: z.string(),
  name: z.string(),
  scope: z.enum(["read", "write"]),
  root: nodeKey.nullable(),
  createdAt: time,
  lastUsedAt: time.nullable(),
  expiresAt: time.nullable(),
  /** The key with which it was made, and with which it ends. */
  maker: z.string().nullable(),
});

const listedSession = z.strictObject({
  id: z.string(),
  /** The key with which the browser is signed in. */
  key: z.string(),
  browser: z.string(),
  createdAt: time,
  lastUsedAt: time,
  expiresAt: time,
});

const newKey = z.strictObject({
  user: z.string(),
  name: z.string(),
  scope: z.enum(["read", "write"]),
  /** A node reference in any form. */
  root: z.string().exactOptional(),
  expiresAt: time.exactOptional(),
});

export const ADMIN_OPERATIONS = {
  /** Answers the key, which is shown this once. */
  "user-add": { params: ofUser, item: z.strictObject({ key: z.string() }) },
  "user-list": {
    params: nothing,
    item: z.strictObject({ user: z.string(), outline: outlineId, createdAt: time }),
  },
  /** With all keys and the outline. */
  "user-remove": { params: ofUser, item: z.never() },

  "key-add": { params: newKey, item: z.strictObject({ id: z.string(), key: z.string() }) },
  "key-list": { params: ofUser, item: listedKey },
  /** With all that was made with it. */
  "key-revoke": { params: ofUser.extend({ id: z.string() }), item: z.never() },

  "session-list": { params: ofUser, item: listedSession },
  /** One, or all of the user's. */
  "session-end": { params: ofUser.extend({ id: z.string().nullable() }), item: z.never() },

  /** Takes entries as its input and adds all of them or none. */
  import: {
    params: ofUser.extend({ parent: z.string().exactOptional() }),
    item: z.strictObject({ nodes: z.int() }),
  },
  /** A user's outline as it is durable now: its id, then updates to be applied in order. */
  state: {
    params: ofUser,
    item: z.union([z.strictObject({ outline: outlineId }), z.strictObject({ update: bytes })]),
  },

  /** Every outline that is stored or belongs to a user. */
  outlines: {
    params: nothing,
    item: z.strictObject({ outline: outlineId, user: z.string().nullable() }),
  },
  /**
   * What is stored of an outline: the chunks of its snapshot, their state vector, the updates behind
   * them, and what it lost when a backup was put back. Refused with what is wrong when it can't be read.
   */
  stored: {
    params: z.strictObject({ outline: outlineId }),
    item: z.union([
      z.strictObject({ chunk: bytes }),
      z.strictObject({ stateVector: bytes, seq: z.int() }),
      z.strictObject({ update: bytes, seq: z.int() }),
      z.strictObject({ lost: z.array(z.tuple([z.int(), z.int()])) }),
    ]),
  },

  /** Reads every record of the store, and answers what is not as it was written. */
  verify: {
    params: nothing,
    item: z.strictObject({ outline: outlineId.nullable(), finding: z.string() }),
  },

  backup: { params: inFolder, item: z.never() },
  /** Its one item says what is newer than the backup. */
  restore: {
    params: inFolder,
    item: z.object({
      updates: z.number(),
      outlines: z.number(),
      clocks: z.number(),
      clients: z.number(),
    }),
  },
} as const;

export type AdminOperation = keyof typeof ADMIN_OPERATIONS;
export type ParamsOf<O extends AdminOperation> = z.output<(typeof ADMIN_OPERATIONS)[O]["params"]>;
export type ItemOf<O extends AdminOperation> = z.output<(typeof ADMIN_OPERATIONS)[O]["item"]>;

export function isAdminOperation(text: string): text is AdminOperation {
  return Object.hasOwn(ADMIN_OPERATIONS, text);
}
