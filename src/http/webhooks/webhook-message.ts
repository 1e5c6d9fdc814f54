import { createHash } from "node:crypto";
import type { Reached, WebhookRecord } from "../../accounts/account-store.ts";
import type { Principal } from "../../accounts/principal.ts";
import { payingUser } from "../../charges/payer.ts";
import { nodeIdOf } from "../../core/node-key.ts";
import { CHANGE_KINDS } from "../changes/change-kinds.ts";
import { type ChangedForm, isEmpty, tellingPieces } from "../changes/changes-json.ts";
import { type Following, toldChanges, type ToldChanges } from "../changes/told-changes.ts";
import { CURSOR_EXPIRED, INVALID_CURSOR } from "../answer/cursor.ts";
import { problem, type Problem, ProblemError } from "../problem.ts";
import { type StreamingService, streamingPieces } from "../service.ts";
import { SignedHeaders } from "./signed-headers.ts";

/** What a receiver is sent. */
export interface SignedMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: readonly Uint8Array[];
}

/** A message that holds memory until it is released. */
export interface HeldMessage extends SignedMessage {
  /** Aborted when the memory is needed elsewhere. */
  readonly signal: AbortSignal;
  readonly release: () => void;
}

/** Where a webhook stands once it has told what it had to. */
export interface Standing {
  readonly cursor: string;
  /** Undefined when there is more to tell. */
  readonly reached: Reached | undefined;
}

export type NextMessage =
  | { readonly kind: "nothing"; readonly after: Standing }
  | { readonly kind: "message"; readonly message: HeldMessage; readonly after: Standing };

/** Nodes of a message. */
const MOST_NODES = 500;
/** A message with nodes of more has their ids. [Q112] */
const MOST_BYTES = 1024 * 1024;
const ID_LENGTH = 24;

const NO_ROOM = new ProblemError(
  problem("unavailable", "There is no memory for a message now.", 1000),
);

/**
 * What a webhook has to tell next: what has changed behind its cursor, or that this can't be told any
 * more. The same twice when nothing has changed meanwhile.
 * @throws ProblemError, UnavailableError, StoreError
 */
export async function nextMessage(
  service: StreamingService,
  webhook: WebhookRecord,
  principal: Principal,
): Promise<NextMessage | Problem> {
  const { outline, cursor, root, kinds, reached, fields } = webhook;
  // Asked first: whatever the log has until here is in what is told below.
  const end: Reached = await service.documents.use(outline, ({ epoch, head }) => ({ epoch, head }));
  if (reached?.head === end.head && reached.epoch === end.epoch) {
    return { kind: "nothing", after: { cursor, reached } };
  }
  const following: Following = {
    root: root && nodeIdOf(outline, root),
    since: cursor,
    limit: MOST_NODES,
    kinds: kinds && new Set(CHANGE_KINDS.filter((kind) => kinds.includes(kind))),
  };
  const told = await toldChanges(service, principal, following);
  if (told === CURSOR_EXPIRED || told === INVALID_CURSOR) {
    const anew = await toldChanges(service, principal, { ...following, since: undefined });
    if (anew.kind === "problem") return anew;
    const after = { cursor: anew.cursor, reached: end };
    return { kind: "message", message: resetMessage(service, webhook, anew), after };
  }
  if (told.kind === "problem") return told;
  const after = { cursor: told.cursor, reached: told.more ? undefined : end };
  if (isEmpty(told)) return { kind: "nothing", after };
  const message =
    (await changesMessage({ service, webhook, principal, told }, fields)) ??
    (await changesMessage({ service, webhook, principal, told }, "ids"));
  if (message === undefined) throw NO_ROOM;
  return { kind: "message", message, after };
}

/** A message that says nothing, to see whether it arrives. @param now milliseconds since 1970 */
export function testMessage(webhook: WebhookRecord, now: number): SignedMessage {
  const text = `${beginningOf("test", webhook, now)}}}`;
  return signed(webhook, idOf(webhook, "test", String(now)), now, text);
}

function resetMessage(
  { now }: StreamingService,
  webhook: WebhookRecord,
  { cursor }: ToldChanges,
): HeldMessage {
  const text = `${beginningOf("reset", webhook, now())},"cursor":${JSON.stringify(cursor)}}}`;
  const message = signed(webhook, idOf(webhook, "reset", cursor), now(), text);
  return { ...message, signal: new AbortController().signal, release: () => undefined };
}

interface Telling {
  readonly service: StreamingService;
  readonly webhook: WebhookRecord;
  readonly principal: Principal;
  readonly told: ToldChanges;
}

/** Undefined when it would be too long. @throws ProblemError when there is no memory for it */
async function changesMessage(
  { service, webhook, principal, told }: Telling,
  form: ChangedForm,
): Promise<HeldMessage | undefined> {
  const { cursor, more } = told;
  const now = service.now();
  const before = `${beginningOf("changes", webhook, now)},"cursor":${JSON.stringify(cursor)},"more":${more},`;
  const stream = await streamingPieces(service, principal, [before, "}}"], (view) =>
    tellingPieces(view, told, form),
  );
  const needed = new AbortController();
  const charge = service.memory.open(payingUser(principal.user), () => {
    needed.abort();
    stream.destroy(NO_ROOM);
  });
  const headers = new SignedHeaders(webhook.secret, idOf(webhook, "changes", cursor), now);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      if (bytes > MOST_BYTES && form === "nodes") {
        charge.end();
        return undefined;
      }
      charge.set(bytes);
      headers.add(chunk);
      chunks.push(chunk);
    }
  } catch (error) {
    charge.end();
    throw error;
  }
  const release = (): void => charge.end();
  return { headers: headers.finish(), chunks, signal: needed.signal, release };
}

function signed({ secret }: WebhookRecord, id: string, now: number, text: string): SignedMessage {
  const headers = new SignedHeaders(secret, id, now);
  const chunk = Buffer.from(text);
  headers.add(chunk);
  return { headers: headers.finish(), chunks: [chunk] };
}

/** Two braces are open behind it, and no comma is there. */
function beginningOf(type: MessageType, { id }: WebhookRecord, now: number): string {
  const timestamp = new Date(now).toISOString();
  return `{"type":"${type}","timestamp":"${timestamp}","data":{"webhook_id":"${id}"`;
}

type MessageType = "changes" | "reset" | "test";

/** The same for the same part of the changes: whoever gets it twice can tell. */
function idOf({ id, cursor }: WebhookRecord, type: MessageType, next: string): string {
  const hash = createHash("sha256").update([id, type, cursor, next].join("\n"));
  return `msg_${hash.digest("base64url").slice(0, ID_LENGTH)}`;
}
