import type { StoreFailure } from "../../lib/store/replica-store.ts";
import type { Status } from "../../lib/status.ts";

/** What the status line says. */
export interface StatusWords {
  /** One line. */
  readonly text: string;
  /** It has been so for longer than a person may have noticed. */
  readonly isOverdue: boolean;
}

/** Now, and how this person writes times. */
export interface WordsContext {
  readonly nowMs: number;
  readonly locale: string | undefined;
  /** The device's own time zone when absent. */
  readonly timezone?: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const OVERDUE_MS = 3 * DAY_MS;

export function wordsOfStatus(status: Status, context: WordsContext): StatusWords {
  switch (status.kind) {
    case "saved":
      return { text: "Saved", isOverdue: false };
    case "saving":
      return { text: "Saving…", isOverdue: false };
    case "local":
      return status.unsent === 0
        ? { text: NOTHING_UNSENT[status.cause], isOverdue: false }
        : wordsOfUnsent(status, context);
    case "unsaved":
      return {
        text: status.isConnected ? "Not saved on this device" : "Not saved",
        isOverdue: false,
      };
  }
}

type Local = Extract<Status, { kind: "local" }>;

const NOTHING_UNSENT: Readonly<Record<Local["cause"], string>> = {
  unreachable: "Offline, nothing unsent",
  unavailable: "Server busy, nothing unsent",
  signed_out: "Signed out, nothing unsent",
  read_only: "Read only",
  outdated: "Reload to go on",
  refused: "Refused by the server",
  full: "Outline full",
  closed: "Closed",
};

function wordsOfUnsent({ lines, since }: Local, context: WordsContext): StatusWords {
  const changes = lines === 0 ? "changes" : countOf(lines, "changed line");
  const ageMs = since === undefined ? 0 : context.nowMs - since;
  if (ageMs >= OVERDUE_MS) {
    const days = Math.floor(ageMs / DAY_MS);
    return { text: `Unsent for ${days} days: ${changes} on this device only`, isOverdue: true };
  }
  const moment = since === undefined ? "" : ` since ${momentOf(since, context)}`;
  return { text: `Saved on this device, ${changes} not sent${moment}`, isOverdue: false };
}

/** What is wrong with the local store. */
export const SENTENCES_OF_FAILURES: Readonly<Record<StoreFailure, string>> = {
  refused: "This browser allows no storage here, as in a private window.",
  full: "The disk, or this browser's share of it, is full.",
  lost: "What was stored in this browser has been deleted from outside.",
  newer: "Another tab has a newer version of this app. Reload this page.",
  busy: "Another program has the local store open.",
  replaced: "Another tab has renewed what is stored in this browser.",
  failed: "The local store does not work.",
};

/** Whether leaving the page now would lose something. */
export function wouldLoseEdits(status: Status): boolean {
  return status.kind === "unsaved" && status.unsent > 0;
}

/** What the server does not have: "changes to 3 lines". Undefined when it has everything. */
export function unsentOf(status: Status): string | undefined {
  if (status.kind === "saved" || status.unsent === 0) return undefined;
  // Nobody counts while they are being sent, and stars and settings are in no line.
  const lines = status.kind === "saving" ? 0 : status.lines;
  return lines === 0 ? "changes" : `changes to ${countOf(lines, "line")}`;
}

export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** `14:02` today, `Nov 18, 14:02` on another day. */
function momentOf(atMs: number, { nowMs, locale, timezone }: WordsContext): string {
  const zone = timezone === undefined ? undefined : { timeZone: timezone };
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "short", ...zone });
  const isToday = day.format(atMs) === day.format(nowMs);
  return new Intl.DateTimeFormat(locale, {
    ...(isToday ? undefined : { month: "short", day: "numeric" }),
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    ...zone,
  }).format(atMs);
}
