import { expect, test } from "vitest";
import type { AppState } from "../../../../client/app/page/app-state.ts";
import { NoticeBoard } from "../../../../client/app/page/notice-board.ts";
import {
  type AppParts,
  firstState,
  startApp,
  startSignedIn,
} from "../../../../client/app/page/start-app.ts";
import { devicePreferences } from "../../../../client/app/settings/device-preferences.ts";
import {
  forgetDiscarded,
  noteToDiscard,
  storesToDiscard,
} from "../../../../client/app/sign-in/stores-to-discard.ts";
import { Cell } from "../../../../client/app/state/source.ts";
import { testStorage } from "./test-storage.ts";

const MINE = "0123456789ab8cdea123";
const OTHER = "fedcba98765481239abc";
const REMEMBERED = { outline: MINE, user: "me" };

type Reply = { readonly status: number; readonly body?: unknown } | "no network";

const session = (outline: string): Reply => ({
  status: 200,
  body: { outline, user: "me", scope: "write" },
});

/** A page, and a server that gives these replies one after another. */
function pageOf(stored: Readonly<Record<string, unknown>>, ...replies: Reply[]) {
  const storage = testStorage(stored);
  const asked: unknown[] = [];
  const opened: unknown[] = [];
  const discarded: unknown[] = [];
  let restarts = 0;
  const parts: AppParts = {
    state: new Cell<AppState>({ kind: "starting", kept: undefined }),
    storage,
    preferences: devicePreferences(storage),
    notices: new NoticeBoard({ setTimeout: () => undefined }),
    async ask(_path, options) {
      asked.push(options?.method);
      const reply = replies.shift() ?? "no network";
      if (reply === "no network") throw new TypeError("no network");
      return new Response(JSON.stringify(reply.body ?? {}), { status: reply.status });
    },
    async openOutline(_parts, outline) {
      opened.push(outline);
      return { kind: "open", page: "the outline", store: async () => undefined };
    },
    async discardStore(_storage, storeName) {
      discarded.push([storeName, opened.length]);
    },
  };
  const restart = (): void => void (restarts += 1);
  return {
    parts,
    storage,
    asked,
    opened,
    discarded,
    restart,
    start: () => startApp(parts, restart),
    shown: () => {
      const state = parts.state.get();
      return state.kind === "sign_in" ? `sign in: ${state.reason ?? "new"}` : state.kind;
    },
    restarts: () => restarts,
  };
}

test.for<[string, Reply]>([
  ["no network", "no network"],
  ["its own session", session(MINE)],
  ["a key that was revoked", { status: 401 }],
  ["a key for a part", { status: 403 }],
  ["a broken server", { status: 502 }],
])("[W71] a browser with an outline opens it with %s", async ([, reply]) => {
  const page = pageOf({ "signed-in": REMEMBERED }, reply);
  await page.start();
  expect([page.shown(), page.opened, page.restarts()]).toEqual(["open", [MINE], 0]);
});

test("[W71] another user's session makes the page start anew, with that outline", async () => {
  const page = pageOf({ "signed-in": REMEMBERED }, session(OTHER));
  await page.start();
  expect(page.restarts()).toBe(1);
  expect(page.storage.read("signed-in")).toEqual({ outline: OTHER, user: "me" });
});

test.for<[Reply, string]>([
  [{ status: 401 }, "sign in: new"],
  [{ status: 403 }, "sign in: limited"],
  ["no network", "sign in: unreachable"],
])("[W71] a browser without an outline, answered %j, shows: %s", async ([reply, expected]) => {
  const page = pageOf({}, reply);
  await page.start();
  expect([page.shown(), page.opened]).toEqual([expected, []]);
});

test("[W71] a session on a new browser is opened and remembered", async () => {
  const page = pageOf({}, session(MINE));
  await page.start();
  expect([page.shown(), page.opened, page.storage.read("signed-in")]).toEqual([
    "open",
    [MINE],
    REMEMBERED,
  ]);
});

test("[W84] the session that a sign-out left is ended before anything is opened", async () => {
  const page = pageOf({ "sign-out": true }, { status: 200 }, { status: 401 });
  await page.start();
  expect([page.shown(), page.asked]).toEqual(["sign in: new", ["DELETE", "GET"]]);
});

test("[W84] the stores that a sign-out could not remove go before anything is opened", async () => {
  const stored = { "signed-in": REMEMBERED, discard: [`outline-${MINE}`, 7, "outline-x"] };
  const page = pageOf(stored, session(MINE));
  await page.start();
  const early = [`outline-${MINE}`, "outline-x"].map((name) => [name, 0]);
  expect([page.discarded, page.opened]).toEqual([early, [MINE]]);
  // One that could not be removed, and is opened all the same, is kept from then on.
  expect(storesToDiscard(page.storage)).toEqual(["outline-x"]);
});

test("[W84] what another tab has kept behind a sign-out goes with the next start", async () => {
  const kept = { view: { outline: MINE }, draft: { outline: MINE } };
  for (const signedIn of [undefined, REMEMBERED]) {
    const page = pageOf({ ...kept, "signed-in": signedIn }, { status: 401 });
    await page.start();
    const isLeft = ["view", "draft"].map((name) => page.storage.read(name) !== undefined);
    expect(isLeft).toEqual(Array(2).fill(signedIn !== undefined));
  }
});

test("[W84] a store is noted until it is removed", () => {
  const storage = testStorage({});
  for (const name of ["a", "b", "a"]) noteToDiscard(storage, name);
  expect(storesToDiscard(storage)).toEqual(["a", "b"]);
  forgetDiscarded(storage, "a");
  expect(storesToDiscard(storage)).toEqual(["b"]);
  forgetDiscarded(storage, "b");
  expect([storesToDiscard(storage), storage.read("discard")]).toEqual([[], undefined]);
});

test("[W84] while it can't be ended, nothing is opened with it", async () => {
  const page = pageOf({ "sign-out": true }, "no network", session(MINE));
  await page.start();
  expect([page.shown(), page.opened]).toEqual(["sign in: signing_out", []]);
});

test("[W84] a new sign-in is not ended with the old session", async () => {
  const page = pageOf({ "sign-out": true }, "no network", session(MINE));
  await page.start();
  await startSignedIn(page.parts, page.restart);
  expect([page.shown(), page.asked]).toEqual(["open", ["DELETE", "GET"]]);
});

test("[W71] an app that can't be loaded whole says so", async () => {
  const page = pageOf({ "signed-in": REMEMBERED }, session(MINE));
  const openOutline = () => Promise.reject(new TypeError("no such chunk"));
  await startApp({ ...page.parts, openOutline }, page.restart);
  expect(page.parts.state.get()).toEqual({ kind: "failed", failure: "not_loaded" });
});

test("[W72] [W212] a new browser starts with nothing, one with a view starts with that", () => {
  expect(firstState(testStorage(), "")).toEqual({ kind: "asking" });
  const row = { key: "abcdefabcdef", depth: 0, name: [{ insert: "x" }], layout: "bullets" };
  const view = { outline: MINE, zoom: "abcdefabcde0", title: "top", rows: [row] };
  const storage = testStorage({ "signed-in": REMEMBERED, view });
  expect(firstState(storage, "#/abcdefabcde0")).toMatchObject({ kept: { title: "top" } });
  expect(firstState(storage, "#/")).toEqual({ kind: "starting", kept: undefined });
  expect(firstState(testStorage({ view }), "#/abcdefabcde0")).toEqual({ kind: "asking" });
});
