import { expect, test } from "vitest";
import { NoticeBoard } from "../../../../client/app/page/notice-board.ts";

function board() {
  const timers: { readonly callback: () => void; readonly ms: number }[] = [];
  const notices = new NoticeBoard({
    setTimeout: (callback, ms) => timers.push({ callback, ms }),
  });
  return { notices, timers, texts: () => notices.shown.get().map(({ text }) => text) };
}

test("[W76] a notice goes by itself, a warning when it is dismissed", () => {
  const { notices, timers, texts } = board();
  notices.warn("refused");
  notices.show("moved");
  expect(texts()).toEqual(["refused", "moved"]);
  for (const { callback } of timers) callback();
  expect(texts()).toEqual(["refused"]);
  notices.dismiss(notices.shown.get()[0]?.id ?? 0);
  expect(texts()).toEqual([]);
});

test("[W76] one that can be acted on stays longer", () => {
  const { notices, timers } = board();
  notices.show("moved");
  notices.show("gone", { label: "Undo", run: () => undefined });
  const [seen = 0, short = 0, , long = 0] = timers.map(({ ms }) => ms);
  expect(short).toBeGreaterThan(seen);
  expect(long).toBeGreaterThan(short);
});

test("[W76] a notice takes the place of the one before, warnings pile up to three", () => {
  const { notices, texts } = board();
  for (const text of ["a", "b", "a", "c", "d"]) notices.warn(text);
  expect(texts()).toEqual(["a", "c", "d"]);
  notices.show("moved");
  notices.show("completed");
  expect(texts()).toEqual(["c", "d", "completed"]);
});

test("[W210] whoever writes on after having seen a notice is rid of it, but not of a warning", () => {
  const { notices, timers, texts } = board();
  notices.warn("refused");
  notices.show("deleted");
  notices.typed();
  expect(texts()).toEqual(["refused", "deleted"]);
  timers[0]?.callback();
  notices.typed();
  expect(texts()).toEqual(["refused"]);
});

test("[W76] what is shown is spoken, twice when it happens twice", () => {
  const { notices } = board();
  const before = notices.spoken.get();
  notices.show("moved");
  const once = notices.spoken.get();
  notices.announce("moved");
  const twice = notices.spoken.get();
  expect([once.text, twice.text]).toEqual(["moved", "moved"]);
  expect(new Set([before.count, once.count, twice.count]).size).toBe(3);
});
