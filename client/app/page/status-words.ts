import type { StoreFailure } from "../../lib/store/replica-store.ts";
import type { Status } from "../../lib/status.ts";

/** What the status line says. */
export interface StatusWords {
  /** One line. */
  readonly text: string;
  /** What that means, for who asks. */
  readonly detail: string;
  /** It has been so for longer than a person may have noticed. */
  readonly isOverdue: boolean;
}

/** Something that a person should know now, at the top of the page. */
export interface Banner {
  readonly tone: "warning" | "danger";
  readonly text: string;
  readonly action?: "sign_in" | "reload" | "export";
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
      return { text: "Saved", detail: "The server has everything you wrote.", isOverdue: false };
    case "saving":
      return {
        text: "Saving…",
        detail: "What you wrote is on its way to the server.",
        isOverdue: false,
      };
    case "local":
      return status.unsent === 0 ? wordsOfNothingUnsent(status) : wordsOfUnsent(status, context);
    case "unsaved":
      return {
        text: status.isConnected ? "Not saved on this device" : "Not saved",
        detail: `${sentenceOfFailure(status.failure)} ${
          status.isConnected
            ? "What you write is sent to the server at once; keep this page open until it says so."
            : "What you write is only in this page: keep it open."
        }`,
        isOverdue: false,
      };
  }
}

type Local = Extract<Status, { kind: "local" }>;

function wordsOfNothingUnsent({ cause }: Local): StatusWords {
  const text = {
    unreachable: "Offline, nothing unsent",
    unavailable: "Server busy, nothing unsent",
    signed_out: "Signed out, nothing unsent",
    read_only: "Read only",
    outdated: "Reload to go on",
    refused: "Refused by the server",
    full: "Outline full",
    closed: "Closed",
  }[cause];
  return { text, detail: detailOf(cause), isOverdue: false };
}

const EACH_COUNTS = "Each letter that was typed counts as a change.";

function wordsOfUnsent({ unsent, since, cause }: Local, context: WordsContext): StatusWords {
  const changes = countOf(unsent, "change");
  const ageMs = since === undefined ? 0 : context.nowMs - since;
  if (ageMs >= OVERDUE_MS) {
    const days = Math.floor(ageMs / DAY_MS);
    return {
      text: `Unsent for ${days} days: ${changes} on this device only`,
      detail: `${detailOf(cause)} ${EACH_COUNTS}`,
      isOverdue: true,
    };
  }
  const moment = since === undefined ? "" : ` since ${momentOf(since, context)}`;
  return {
    text: `Saved on this device, ${changes} not sent${moment}`,
    detail: `${detailOf(cause)} ${EACH_COUNTS}`,
    isOverdue: false,
  };
}

function detailOf(cause: Local["cause"]): string {
  switch (cause) {
    case "unreachable":
      return "The server can't be reached. Go on writing: it is sent when the network is back.";
    case "unavailable":
      return "The server can't save at the moment. It is tried again by itself.";
    case "signed_out":
      return "The server does not know this key any more. Sign in again to send what is unsent.";
    case "read_only":
      return "This key may only read: what you write stays on this device.";
    case "outdated":
      return "The server has a newer version of this app. Reload the page to get it.";
    case "refused":
      return "The server refused some changes. They stay on this device; export them to be safe.";
    case "full":
      return "The outline has no room for some changes on the server. They stay on this device, and are sent when there is room: delete what is not needed with another device, from the trash too, or ask whoever runs the server for a larger outline.";
    case "closed":
      return "This page has closed the outline.";
  }
}

/** What is wrong with the local store. */
export function sentenceOfFailure(failure: StoreFailure): string {
  switch (failure) {
    case "refused":
      return "This browser allows no storage here, as in a private window.";
    case "full":
      return "The disk, or this browser's share of it, is full.";
    case "lost":
      return "What was stored in this browser has been deleted from outside.";
    case "newer":
      return "Another tab has a newer version of this app. Reload this page.";
    case "busy":
      return "Another program has the local store open.";
    case "replaced":
      return "Another tab has renewed what is stored in this browser.";
    case "failed":
      return "The local store does not work.";
  }
}

/** Nothing is stored here: what is not on the server is in this page alone. */
function bannerOfUnsaved(status: Extract<Status, { kind: "unsaved" }>): Banner {
  const { failure, isConnected, cause, unsent } = status;
  const reason = sentenceOfFailure(failure);
  if (cause === "signed_out" && failure !== "newer") {
    const rest =
      unsent === 0
        ? "Sign in again to go on."
        : `Sign in again to send your ${countOf(unsent, "change")}: until then they are only in this page. Keep it open.`;
    return { tone: "danger", text: `${reason} ${rest}`, action: "sign_in" };
  }
  // A page that begins anew has a store again.
  const begins = failure === "lost" && isConnected;
  return {
    tone: "danger",
    text: `${reason} ${
      begins
        ? "You can go on: everything is sent to the server. Reload, and it is stored here again."
        : isConnected
          ? "You can go on: everything is sent to the server, but keep this page open until it is."
          : "What you write now is only in this page. Keep it open, or export it."
    }`,
    action: failure === "newer" || begins ? "reload" : "export",
  };
}

/** What can't wait until someone looks at the status line. */
export function bannerOfStatus(status: Status): Banner | undefined {
  if (status.kind === "unsaved") return bannerOfUnsaved(status);
  if (status.kind !== "local") return undefined;
  const changes = countOf(status.unsent, "change");
  const safe = status.unsent === 1 ? "is safe" : "are safe";
  switch (status.cause) {
    case "signed_out":
      return {
        tone: "warning",
        text:
          status.unsent === 0
            ? "Sign in again to go on syncing."
            : `Sign in again. Your ${changes} ${safe} on this device.`,
        action: "sign_in",
      };
    case "outdated":
      return {
        tone: "warning",
        text:
          status.unsent === 0
            ? "There is a newer version. Reload to go on."
            : `There is a newer version. Reload to go on; your ${changes} ${safe} on this device.`,
        action: "reload",
      };
    case "read_only":
      return status.unsent === 0
        ? undefined
        : {
            tone: "warning",
            text: `This key may only read. Your ${changes} ${safe} on this device, and not sent.`,
            action: "sign_in",
          };
    case "refused":
      return {
        tone: "danger",
        text: `The server refused changes. Your ${changes} ${safe} on this device; export them.`,
        action: "export",
      };
    case "full":
      return {
        tone: "danger",
        text: `The outline is full. Your ${changes} ${safe} on this device, and not sent before another device, or a program, has deleted something for good. Export them.`,
        action: "export",
      };
    case "unreachable":
    case "unavailable":
    case "closed":
      return undefined;
  }
}

/** What a person who does not see the status was told last. */
export interface StatusNews {
  /** What it was about: the same trouble is told once. */
  readonly about: string;
  readonly text: string;
}

/** Nothing has been told, and nothing has to be. */
export const FINE: StatusNews = { about: "", text: "" };

/** What is to be told now: what is new for the worse, or that it is over; else what was told before. */
export function newsOfStatus(told: StatusNews, status: Status, context: WordsContext): StatusNews {
  if (status.kind === "saving") return told;
  if (status.kind === "saved") return told.about === "" ? told : { about: "", text: "Saved" };
  const cause = status.kind === "local" ? status.cause : `${status.failure} ${status.isConnected}`;
  const about = `${cause} ${status.kind === "local" && status.unsent > 0}`;
  if (about === told.about) return told;
  return { about, text: bannerOfStatus(status)?.text ?? wordsOfStatus(status, context).text };
}

/** Whether leaving the page now would lose something. */
export function wouldLoseEdits(status: Status): boolean {
  return status.kind === "unsaved" && status.unsent > 0;
}

/** What the server does not have: "3 changes". */
export function unsentOf(status: Status): number {
  return status.kind === "saved" ? 0 : status.unsent;
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
