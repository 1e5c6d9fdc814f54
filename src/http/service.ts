import type { Readable } from "node:stream";
import type { Accounts } from "../accounts/accounts.ts";
import type { Principal } from "../accounts/principal.ts";
import type { MemoryLedger } from "../charges/memory-ledger.ts";
import { payingOutline, payingUser } from "../charges/payer.ts";
import type { Documents } from "../documents/documents.ts";
import type { ReceiptKeeper } from "../documents/replica/receipts.ts";
import type { Outline } from "../core/outline.ts";
import type { HeldRequests } from "./changes/held-requests.ts";
import type { ExportLimit } from "./export-limit.ts";
import type { HttpLimits } from "./http-limits.ts";
import type { ClientDocuments } from "./oauth/client-documents.ts";
import { endOf, KEY_ENDED } from "./intake/in-force.ts";
import { type ListItem, listStream, separated } from "./answer/list-stream.ts";
import {
  type Attempt,
  type Caller,
  doOnce,
  receiptOf,
  type ReplayedText,
  type UnderWay,
} from "./once.ts";
import { problem, type Problem, ProblemError } from "./problem.ts";
import type { RequestTurns } from "./intake/request-turns.ts";
import { ScopedOutline } from "./scoped-outline.ts";
import type { WebhookKeeper } from "./webhooks/webhook-keeper.ts";

const NO_ROOM = new ProblemError(
  problem("unavailable", "Too much is being read at once. Ask again later.", 1000),
);

/** What operations work with. */
export interface Service {
  readonly documents: Documents;
  readonly accounts: Accounts;
  readonly limits: HttpLimits;
  /** Counts what is held for clients. */
  readonly memory: MemoryLedger;
  /** In which long answers are made. */
  readonly turns: Pick<RequestTurns, "takeTurn">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly exports: ExportLimit;
  readonly held: HeldRequests;
  readonly oauth: { readonly documents: ClientDocuments };
  /** One for each request in work that has an `Idempotency-Key`. [Q77] */
  readonly underWay: UnderWay;
  readonly webhooks: WebhookKeeper;
}

/**
 * Reads the outline of a request's key; sees only what is durable. Answers at once when the outline
 * is in memory and at rest; when it is not, and nobody waits any more, it is not opened.
 * @throws ProblemError when the key has ended while the outline was waited for
 */
export function reading<T>(
  service: Service,
  { principal, isHere }: Caller,
  read: (view: ScopedOutline) => T,
): T | Promise<T> {
  const { documents } = service;
  const look = (outline: Outline): Exclude<Look<T>, Again> => {
    const view = viewOf(service, principal, outline);
    return view instanceof ScopedOutline ? { kind: "seen", result: read(view) } : view;
  };
  const atOnce = documents.peek(principal.outline)?.readNow(look);
  return atOnce === undefined
    ? documents.use(principal.outline, (document) => document.read(look), isHere).then(resultOf)
    : resultOf(atOnce.result);
}

/**
 * Changes the outline of a request's key at once; resolves when that is durable. See `doOnce`.
 * @throws ProblemError when the key has ended while the outline was waited for; nothing has changed
 */
export function writing<T>(
  service: Service,
  caller: Caller,
  write: (view: ScopedOutline) => T,
): Promise<T | ReplayedText | Problem> {
  const { principal } = caller;
  return doOnce(service, caller, async () =>
    attemptOf(
      await service.documents.write(principal.outline, (outline, receipts): Look<T> => {
        const view = viewToChange(service, caller, outline, receipts);
        if (!(view instanceof ScopedOutline)) return view;
        return { kind: "seen", result: kept(caller, receipts, write(view)) };
      }),
    ),
  );
}

/**
 * Like `writing`, for work that would keep others waiting: a generator that yields every so often.
 * It becomes durable as a whole or not at all.
 */
export function writingInSlices<T>(
  service: Service,
  caller: Caller,
  write: (view: ScopedOutline) => Generator<void, T>,
): Promise<T | ReplayedText | Problem> {
  const { principal } = caller;
  return doOnce(service, caller, async () =>
    attemptOf(
      await service.documents.use(principal.outline, (document) =>
        document.bulk(function* (outline, receipts): Generator<void, Look<T>> {
          const view = viewToChange(service, caller, outline, receipts);
          if (!(view instanceof ScopedOutline)) return view;
          return { kind: "seen", result: kept(caller, receipts, yield* write(view)) };
        }),
      ),
    ),
  );
}

/** The outline as who changes it sees it; `again` when it is not known whether that was done before. */
function viewToChange(
  service: Service,
  { principal, once }: Caller,
  outline: Outline,
  receipts: ReceiptKeeper,
): ScopedOutline | Problem | Again {
  return once !== undefined && !receipts.isReady ? AGAIN : viewOf(service, principal, outline);
}

/** Keeps an answer with what was changed for it. A refusal is none, and has changed nothing. */
function kept<T>({ once }: Caller, receipts: ReceiptKeeper, answer: T): T {
  if (once !== undefined && typeof answer === "string") {
    receipts.keep(once.id, receiptOf(once, answer));
  }
  return answer;
}

function attemptOf<T>(look: Look<T>): Attempt<T> {
  return look.kind === "again" ? "again" : { kind: "done", result: resultOf(look) };
}

interface Again {
  readonly kind: "again";
}

const AGAIN: Again = { kind: "again" };

/** What came of a look at an outline. An error would take along what shares a transaction with it. */
type Look<T> = { readonly kind: "seen"; readonly result: T } | Problem | Again;

/** The outline as the key sees it now, or why it does not any more, however long it was waited for. */
function viewOf({ now }: Service, principal: Principal, outline: Outline): ScopedOutline | Problem {
  return endOf(principal, now()) ?? new ScopedOutline(outline, principal.root, now);
}

function resultOf<T>(look: Exclude<Look<T>, Again>): T {
  if (look.kind === "problem") throw new ProblemError(look);
  return look.result;
}

/** Answers the list `{name: [items]}` as a stream, see `streamingPieces`. */
export async function streaming(
  service: Service,
  principal: Principal,
  name: "nodes" | "targets",
  itemsOf: (view: ScopedOutline) => Iterable<ListItem>,
): Promise<Readable> {
  const around = [`{"${name}":[`, "]}"] as const;
  return streamingPieces(service, principal, around, (view) => separated(itemsOf(view)));
}

/** What streams are made with. */
export type StreamingService = Pick<Service, "documents" | "accounts" | "now" | "memory" | "turns">;

/**
 * Answers JSON as a stream, in pieces that stand between two texts. What is in it is up to the
 * iterator, which is first asked within a read of the document; the document stays open until the
 * stream is read to its end, fails, or is left. It fails when the key ends, however slowly it is read.
 */
export async function streamingPieces(
  { documents, accounts, now, memory, turns }: StreamingService,
  principal: Principal,
  around: readonly [before: string, behind: string],
  piecesOf: (view: ScopedOutline) => Iterator<string>,
): Promise<Readable> {
  const { outline: id, root, user } = principal;
  const { document, release } = await documents.open(id);
  const ended = endOf(principal, now());
  if (ended !== undefined) {
    release();
    throw new ProblemError(ended);
  }
  const payer = payingOutline(id);
  const held = memory.open(payingUser(user), () => stream.destroy(NO_ROOM));
  const stream = listStream({
    document,
    around,
    pieces: piecesOf(new ScopedOutline(document.outline, root, now)),
    requireWanted: () => {
      const end = endOf(principal, now());
      if (end !== undefined) throw new ProblemError(end);
    },
    takeTurn: (work) => turns.takeTurn(payer, work),
    onHeld: (bytes) => held.set(bytes),
  });
  // However slowly it is read.
  const stopListening = accounts.onRevoked((revoked) => {
    if (revoked === principal.id) stream.destroy(new ProblemError(KEY_ENDED));
  });
  return stream.once("close", () => {
    held.end();
    stopListening();
    release();
  });
}
