import { expect, test } from "vitest";
import {
  unsentOf,
  wordsOfStatus,
  wouldLoseEdits,
} from "../../../../client/app/page/status-words.ts";
import {
  bannerOfStatus,
  detailOfStatus,
  FINE,
  newsOfStatus,
} from "../../../../client/app/page/trouble-words.ts";
import type { Status } from "../../../../client/lib/status.ts";

const NOW = Date.UTC(2026, 10, 20, 14, 30);
const CONTEXT = { nowMs: NOW, locale: "en-GB", timezone: "UTC" };
const HOUR = 60 * 60 * 1000;

function local(
  cause: Extract<Status, { kind: "local" }>["cause"],
  lines = 0,
  since?: number,
): Status {
  // Each letter of a line is an update.
  return { kind: "local", unsent: 100 * lines, lines, since, cause };
}

test.for<[Status, string, boolean]>([
  [{ kind: "saved" }, "Saved", false],
  [{ kind: "saving", unsent: 2 }, "Saving…", false],
  [
    local("unreachable", 3, NOW - 28 * 60_000),
    "Saved on this device, 3 changed lines not sent since 14:02",
    false,
  ],
  [
    local("signed_out", 1, NOW - 30 * HOUR),
    "Saved on this device, 1 changed line not sent since 19 Nov, 08:30",
    false,
  ],
  [
    local("unreachable", 1200, NOW - 80 * HOUR),
    "Unsent for 3 days: 1,200 changed lines on this device only",
    true,
  ],
  [local("unreachable"), "Offline, nothing unsent", false],
  [local("unavailable"), "Server busy, nothing unsent", false],
  [local("signed_out"), "Signed out, nothing unsent", false],
  [local("read_only"), "Read only", false],
  [local("outdated"), "Reload to go on", false],
  [
    { kind: "unsaved", unsent: 4, lines: 4, failure: "full", isConnected: false },
    "Not saved",
    false,
  ],
  [
    { kind: "unsaved", unsent: 0, lines: 0, failure: "lost", isConnected: true },
    "Not saved on this device",
    false,
  ],
])("[W73] %j", ([status, text, isOverdue]) => {
  const words = wordsOfStatus(status, CONTEXT);
  expect({ text: words.text, isOverdue: words.isOverdue }).toEqual({ text, isOverdue });
  expect(detailOfStatus(status)).toMatch(/\.$/);
});

test.for<[Status, string, string | undefined]>([
  [
    local("signed_out", 3, NOW),
    "Sign in again. Your changes to 3 lines are safe on this device.",
    "sign_in",
  ],
  [local("signed_out"), "Sign in again to go on syncing.", "sign_in"],
  [
    local("outdated", 1, NOW),
    "There is a newer version. Reload to go on; your changes to 1 line are safe on this device.",
    "reload",
  ],
  [
    local("refused", 2, NOW),
    "The server refused changes. Your changes to 2 lines are safe on this device; export them.",
    "export",
  ],
  [
    local("full", 2, NOW),
    "The outline is full. Your changes to 2 lines are safe on this device, and not sent before another device, or a program, has deleted something for good. Export them.",
    "export",
  ],
  [
    { kind: "unsaved", unsent: 1, lines: 1, failure: "refused", isConnected: false },
    "This browser allows no storage here, as in a private window. What you write now is only in this page. Keep it open, or export it.",
    "export",
  ],
  [
    { kind: "unsaved", unsent: 1, lines: 1, failure: "newer", isConnected: true },
    "Another tab has a newer version of this app. Reload this page. You can go on: everything is sent to the server, but keep this page open until it is.",
    "reload",
  ],
  [
    {
      kind: "unsaved",
      unsent: 2,
      lines: 2,
      failure: "lost",
      isConnected: false,
      cause: "signed_out",
    },
    "What was stored in this browser has been deleted from outside. Sign in again to send your changes to 2 lines: until then they are only in this page. Keep it open.",
    "sign_in",
  ],
  [
    { kind: "unsaved", unsent: 0, lines: 0, failure: "lost", isConnected: true },
    "What was stored in this browser has been deleted from outside. You can go on: everything is sent to the server. Reload, and it is stored here again.",
    "reload",
  ],
])("[W74] %j asks for something", ([status, text, action]) => {
  expect(bannerOfStatus(status)).toMatchObject({ text, action });
});

test.for<Status>([
  { kind: "saved" },
  { kind: "saving", unsent: 9 },
  local("unreachable", 9, NOW),
  local("unavailable", 9, NOW),
  local("read_only"),
])("[W74] %j asks for nothing", (status) => {
  expect(bannerOfStatus(status)).toBe(undefined);
});

test("[W75] leaving is asked about only where something would be lost", () => {
  const unsaved: Status = {
    kind: "unsaved",
    unsent: 1,
    lines: 1,
    failure: "full",
    isConnected: false,
  };
  const states: readonly Status[] = [
    { kind: "saved" },
    { kind: "saving", unsent: 1 },
    local("unreachable", 5, NOW),
    unsaved,
  ];
  expect(states.map(wouldLoseEdits)).toEqual([false, false, false, true]);
  expect(wouldLoseEdits({ ...unsaved, unsent: 0 })).toBe(false);
  expect(states.map(unsentOf)).toEqual([
    undefined,
    "changes",
    "changes to 5 lines",
    "changes to 1 line",
  ]);
});

test("[W201] a screen reader hears what is worse, once, and that it is over; never that it was saved once more", () => {
  const heard: string[] = [];
  let told = FINE;
  const say = (status: Status): void => {
    const news = newsOfStatus(told, status, CONTEXT);
    if (news !== told) heard.push(news.text);
    told = news;
  };
  const burst: readonly Status[] = [{ kind: "saving", unsent: 1 }, { kind: "saved" }];
  for (const status of [...burst, ...burst, ...burst]) say(status);
  expect(heard).toEqual([]);
  say(local("unreachable", 1, NOW));
  for (let unsent = 2; unsent < 9; unsent++) say(local("unreachable", unsent, NOW));
  for (const status of [...burst, ...burst]) say(status);
  expect(heard).toEqual(["Saved on this device, 1 changed line not sent since 14:30", "Saved"]);
  say(local("signed_out", 3, NOW));
  expect(heard.at(-1)).toBe("Sign in again. Your changes to 3 lines are safe on this device.");
});

test("[W211] what is unsent and in no line is called changes, without a number", () => {
  const star: Status = {
    kind: "local",
    unsent: 2,
    lines: 0,
    since: NOW - 80 * HOUR,
    cause: "signed_out",
  };
  expect(wordsOfStatus(star, CONTEXT).text).toBe("Unsent for 3 days: changes on this device only");
  expect(wordsOfStatus({ ...star, since: NOW }, CONTEXT).text).toBe(
    "Saved on this device, changes not sent since 14:30",
  );
  expect(bannerOfStatus(star)?.text).toBe("Sign in again. Your changes are safe on this device.");
});
