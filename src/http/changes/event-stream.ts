import { Readable } from "node:stream";
import type { Principal } from "../../accounts/principal.ts";
import { payingUser } from "../../charges/payer.ts";
import { UnavailableError } from "../../documents/log/unavailable-error.ts";
import { CURSOR_EXPIRED } from "../answer/cursor.ts";
import type { EventStream, IncomingCall } from "../operation.ts";
import { type Problem, ProblemError } from "../problem.ts";
import { type Service, streamingPieces } from "../service.ts";
import { type ChangedForm, isEmpty, tellingPieces } from "./changes-json.ts";
import type { Held } from "./held-requests.ts";
import { type Following, toldChanges, type ToldChanges } from "./told-changes.ts";

/** How long a stream goes on at most: who follows comes back. [Q81] */
const LONGEST_MS = 3_600_000;
/** Behind the first change others may follow at once, which are told with it. */
const JOINED_MS = 100;
/** A comment is sent when there was nothing for so long, so that nobody takes it for dead. */
const HEARTBEAT_MS = 15_000;
/** How long a client is to wait before it comes back, at least; twice as long at most. */
const RETRY_MS = 1_000;
/** What a stream holds when all was read [Q81]. */
const BYTES_OF_STREAM = 16 * 1024;

interface Follower {
  readonly principal: Principal;
  readonly following: Following;
  readonly form: ChangedForm;
  readonly onLeave: IncomingCall["onLeave"];
}

/**
 * What changes from now on, or from a cursor on, as server-sent events, each with a cursor for its id.
 * No event is made before the one before it was read: who reads slowly is told more at a time. Between
 * events it holds neither the document nor anything that is unread.
 * @returns a problem when there is nothing to follow, or too many follow already
 */
export async function eventStream(
  service: Service,
  { principal, following, form, onLeave }: Follower,
): Promise<EventStream | Problem> {
  let stream: Readable | undefined;
  let isUnread = false;
  // One that waits ends by itself; one that is not read has to be ended.
  const onOver = (): void => void (isUnread && stream?.destroy());
  const held = service.held.hold(principal, LONGEST_MS, onOver);
  if (held.kind === "problem") return held;
  const stopListening = onLeave(() => held.leave());
  const end = (): void => {
    stopListening();
    held.end();
  };
  let first: Beginning | Problem;
  try {
    first = await beginning(service, principal, following);
  } catch (error) {
    end();
    throw error;
  }
  if (first.kind === "problem") {
    end();
    return first;
  }
  const charge = service.memory.open(payingUser(principal.user), () => {
    held.leave();
    stream?.destroy();
  });
  const events = eventsOf({ service, principal, following, form, held }, first);
  async function* read(): AsyncGenerator<string | Buffer, void, undefined> {
    for await (const piece of events) {
      charge.set(BYTES_OF_STREAM + piece.length);
      isUnread = true;
      yield piece;
      isUnread = false;
      charge.set(BYTES_OF_STREAM);
    }
  }
  // Asked for the next piece only when the one before has been taken.
  stream = Readable.from(read(), { objectMode: false, highWaterMark: 0 });
  stream.once("close", () => {
    charge.end();
    end();
  });
  return { kind: "events", stream };
}

interface Beginning {
  readonly kind: "beginning";
  readonly told: ToldChanges;
  /** Whether what a copy has can't be brought up to date. */
  readonly isReset: boolean;
}

async function beginning(
  service: Service,
  principal: Principal,
  following: Following,
): Promise<Beginning | Problem> {
  const told = await toldChanges(service, principal, following);
  if (told !== CURSOR_EXPIRED) {
    return told.kind === "problem" ? told : { kind: "beginning", told, isReset: false };
  }
  const anew = await toldChanges(service, principal, { ...following, since: undefined });
  return anew.kind === "problem" ? anew : { kind: "beginning", told: anew, isReset: true };
}

interface Run {
  readonly service: Service;
  readonly principal: Principal;
  readonly following: Following;
  readonly form: ChangedForm;
  readonly held: Held;
}

/** The text of the stream, until it is over, or nobody can tell what has changed. */
async function* eventsOf(run: Run, first: Beginning): AsyncGenerator<string | Buffer> {
  const { service, principal, following, held } = run;
  yield `retry: ${RETRY_MS + (Math.floor(service.now()) % RETRY_MS)}\n\n`;
  // A client that comes back before the first event has to know where it began.
  let isNew = true;
  try {
    for (let next: Beginning | Problem = first; next.kind === "beginning";) {
      const { told, isReset } = next;
      const { cursor, more } = told;
      if (isReset) yield `event: reset\ndata: {}\n${idLine(cursor)}\n`;
      else if (!isEmpty(told)) yield* changesEvent(run, told);
      else if (isNew) yield `${idLine(cursor)}\n`;
      const isSaid = isReset || !isEmpty(told) || isNew;
      isNew = false;
      if (!more) {
        yield* comments(held, isSaid ? "" : idLine(cursor));
        await held.pause(JOINED_MS);
      }
      if (held.isOver) return;
      next = await beginning(service, principal, { ...following, since: cursor });
    }
  } catch (error) {
    // Who comes back is told why.
    if (!(error instanceof ProblemError || error instanceof UnavailableError)) throw error;
  }
}

/** Until something may have changed, or it is over. @param said with the first of them */
async function* comments(held: Held, said: string): AsyncGenerator<string> {
  for (let line = said; !(await held.next(HEARTBEAT_MS)) && !held.isOver; line = "") {
    yield `:\n${line}\n`;
  }
}

function changesEvent(
  { service, principal, form }: Run,
  told: ToldChanges,
): AsyncGenerator<Buffer, void, undefined> {
  // The id comes last: who is cut off within an event has not had it.
  const behind = `,"more":${told.more}}\n${idLine(told.cursor)}\n`;
  const around = ["event: changes\ndata: {", behind] as const;
  return (async function* () {
    yield* await streamingPieces(service, principal, around, (view) =>
      tellingPieces(view, told, form),
    );
  })();
}

function idLine(cursor: string): string {
  return `id: ${cursor}\n`;
}
