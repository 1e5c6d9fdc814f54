import type { Status } from "../../lib/status.ts";
import {
  SENTENCES_OF_FAILURES,
  unsentOf,
  type WordsContext,
  wordsOfStatus,
} from "./status-words.ts";

type Local = Extract<Status, { kind: "local" }>;

/** What a status means, for who asks. */
export function detailOfStatus(status: Status): string {
  switch (status.kind) {
    case "saved":
      return "The server has everything you wrote.";
    case "saving":
      return "What you wrote is on its way to the server.";
    case "local":
      return DETAILS[status.cause];
    case "unsaved":
      return `${SENTENCES_OF_FAILURES[status.failure]} ${
        status.isConnected
          ? "What you write is sent to the server at once; keep this page open until it says so."
          : "What you write is only in this page: keep it open."
      }`;
  }
}

const DETAILS: Readonly<Record<Local["cause"], string>> = {
  unreachable: "The server can't be reached. Go on writing: it is sent when the network is back.",
  unavailable: "The server can't save at the moment. It is tried again by itself.",
  signed_out: "The server does not know this key any more. Sign in again to send what is unsent.",
  read_only: "This key may only read: what you write stays on this device.",
  outdated: "The server has a newer version of this app. Reload the page to get it.",
  refused: "The server refused some changes. They stay on this device; export them to be safe.",
  full: "The outline has no room for some changes on the server. They stay on this device, and are sent when there is room: delete what is not needed with another device, from the trash too, or ask whoever runs the server for a larger outline.",
  closed: "This page has closed the outline.",
};

/** Something that a person should know now, at the top of the page. */
export interface Banner {
  readonly tone: "warning" | "danger";
  readonly text: string;
  /** What to do about it. */
  readonly action: "sign_in" | "reload" | "export";
}

/** What can't wait until someone looks at the status line. */
export function bannerOfStatus(status: Status): Banner | undefined {
  if (status.kind === "unsaved") return bannerOfUnsaved(status);
  return status.kind === "local" ? bannerOfLocal(status) : undefined;
}

/** Nothing is stored here: what is not on the server is in this page alone. */
function bannerOfUnsaved(status: Extract<Status, { kind: "unsaved" }>): Banner {
  const { failure, isConnected, cause } = status;
  const reason = SENTENCES_OF_FAILURES[failure];
  if (cause === "signed_out" && failure !== "newer") {
    const unsent = unsentOf(status);
    if (unsent === undefined) return danger(`${reason} Sign in again to go on.`, "sign_in");
    return danger(
      `${reason} Sign in again to send your ${unsent}: until then they are only in this page. Keep it open.`,
      "sign_in",
    );
  }
  // A page that begins anew has a store again.
  if (failure === "lost" && isConnected) {
    return danger(
      `${reason} You can go on: everything is sent to the server. Reload, and it is stored here again.`,
      "reload",
    );
  }
  const rest = isConnected
    ? "You can go on: everything is sent to the server, but keep this page open until it is."
    : "What you write now is only in this page. Keep it open, or export it.";
  return danger(`${reason} ${rest}`, failure === "newer" ? "reload" : "export");
}

function bannerOfLocal(status: Local): Banner | undefined {
  const unsent = unsentOf(status);
  switch (status.cause) {
    case "signed_out":
      return warning(
        unsent === undefined
          ? "Sign in again to go on syncing."
          : `Sign in again. Your ${unsent} are safe on this device.`,
        "sign_in",
      );
    case "outdated": {
      const rest = unsent === undefined ? "" : `; your ${unsent} are safe on this device`;
      return warning(`There is a newer version. Reload to go on${rest}.`, "reload");
    }
    case "read_only":
      if (unsent === undefined) return undefined;
      return warning(
        `This key may only read. Your ${unsent} are safe on this device, and not sent.`,
        "sign_in",
      );
    case "refused":
      return danger(
        `The server refused changes. Your ${unsent} are safe on this device; export them.`,
        "export",
      );
    case "full":
      return danger(
        `The outline is full. Your ${unsent} are safe on this device, and not sent before another device, or a program, has deleted something for good. Export them.`,
        "export",
      );
    case "unreachable":
    case "unavailable":
    case "closed":
      return undefined;
  }
}

function warning(text: string, action: Banner["action"]): Banner {
  return { tone: "warning", text, action };
}

function danger(text: string, action: Banner["action"]): Banner {
  return { tone: "danger", text, action };
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
