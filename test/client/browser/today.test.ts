import { expect, test } from "vitest";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

/** Fourteen hours before Greenwich: its days begin at 10:00 UTC. */
const FAR_EAST = "Pacific/Kiritimati";

/** The key of a day's node. */
function keyOfDay(at: Date): string {
  return `0000${at.toISOString().slice(0, 10).replaceAll("-", "")}`;
}

test("today is the person's, not the device's or Greenwich's, on both sides of midnight", async () => {
  const key = await stage.person();
  await stage.server.create("start", undefined, key);
  await stage.server.call("POST", "settings", { timezone: FAR_EAST }, key);
  const midnight = new Date();
  midnight.setUTCHours(10, 0, 0, 0);
  const dayAfter = new Date(midnight);
  dayAfter.setUTCDate(dayAfter.getUTCDate() + 1);

  const device = await stage.device(key, {
    context: { timezoneId: "America/Los_Angeles" },
  });
  await device.shows(["start"]);
  await device.reaches("saved");
  // Without the server, which would tell it the time.
  await device.network.refuse();
  await device.turnClock(midnight.getTime() - 20_000 - Date.now());
  await device.press("Alt+j");
  // Ten seconds before midnight over there.
  await expect.poll(() => new URL(device.page.url()).hash, SOON).toBe(`#/${keyOfDay(midnight)}`);
  await device.shows([""]);
  await expect.poll(async () => (await device.caret())?.part, SOON).toBe("name");
  await device.turnClock(midnight.getTime() + 1000 - Date.now());
  await device.press("Alt+j");
  await expect.poll(() => new URL(device.page.url()).hash, SOON).toBe(`#/${keyOfDay(dayAfter)}`);
  const title = device.page.locator("[data-part=title]");
  const day = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });
  await expect.poll(() => title.textContent(), SOON).toContain(day.format(dayAfter));
});

test("[W308] when a page has slept through midnight, the week and the dates are those of the new day", async () => {
  const key = await stage.person();
  await stage.server.call("POST", "settings", { timezone: FAR_EAST }, key);
  const midnight = new Date();
  midnight.setUTCHours(10, 0, 0, 0);
  const dayAfter = new Date(midnight);
  dayAfter.setUTCDate(dayAfter.getUTCDate() + 1);
  const day = dayAfter.toISOString().slice(0, 10);
  await stage.server.create(`pay [${day}]`, undefined, key);
  const device = await stage.device(key, { context: { viewport: { width: 1200, height: 800 } } });
  await device.reaches("saved");
  await device.network.refuse();
  await device.turnClock(midnight.getTime() - 20_000 - Date.now());
  await device.page.evaluate(() => window.dispatchEvent(new Event("focus")));
  const today = device.page.locator(".week-day[data-today=true]");
  const said = () => device.page.locator("time[data-said]").first().getAttribute("data-said");
  await expect.poll(() => today.textContent(), SOON).toContain(`${midnight.getUTCDate()}`);
  await expect.poll(said, SOON).toBe("tomorrow");
  // No timer has run out: the person is back.
  await device.turnClock(midnight.getTime() + 1000 - Date.now());
  await device.page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await expect.poll(() => today.textContent(), SOON).toContain(`${dayAfter.getUTCDate()}`);
  await expect.poll(said, SOON).toBe("today");
});

test("[W308] when the time zone is changed elsewhere, dates are those of its day", async () => {
  const key = await stage.person();
  const setZone = (timezone: string) => stage.server.call("POST", "settings", { timezone }, key);
  // A day apart, or two, whenever it is.
  await setZone("Etc/GMT+12");
  const day = new Intl.DateTimeFormat("en-CA", { timeZone: FAR_EAST }).format(new Date());
  await stage.server.create(`pay [${day}]`, undefined, key);
  const device = await stage.device(key);
  await device.reaches("saved");
  const said = () => device.page.locator("time[data-said]").first().getAttribute("data-said");
  await expect.poll(said, SOON).not.toBe("today");
  await setZone(FAR_EAST);
  await expect.poll(said, SOON).toBe("today");
});

test("two devices that open the same day apart have one day, with what both wrote", async () => {
  const key = await stage.person();
  await stage.server.create("start", undefined, key);
  const [anna, ben] = await Promise.all([stage.device(key), stage.device(key)]);
  for (const [device, text] of [
    [anna, "by Anna"],
    [ben, "by Ben"],
  ] as const) {
    await device.shows(["start"]);
    await device.reaches("saved");
    await device.network.refuse();
    await device.press("Alt+j");
    await expect.poll(() => new URL(device.page.url()).hash, SOON).toMatch(/^#\/0000\d{8}$/);
    // A new day has a line to write in, with the caret in it.
    await device.shows([""]);
    await device.type(text);
    await device.shows([text]);
    await device.reaches("local");
  }
  for (const device of [anna, ben]) await device.network.pass();
  for (const device of [anna, ben]) {
    await device.reaches("saved");
    await expect
      .poll(async () => (await device.sketch()).toSorted(), SOON)
      .toEqual(["by Anna", "by Ben"]);
  }
  expect(await anna.sketch()).toEqual(await ben.sketch());
});
