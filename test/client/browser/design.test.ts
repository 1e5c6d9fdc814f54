import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import type { Device } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

/** A device that shows these lines. */
async function deviceWith(lines: Readonly<Record<string, string>>) {
  const { key, device, lineOf } = await stage.desk(...Object.values(lines));
  await device.reaches("saved");
  return { key, device, at: (name: string) => lineOf(lines[name] ?? name) };
}

/** The day so many days from now, where the server's new outlines live. */
function dayFromNow(days: number): string {
  return new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}

async function htmlOf(key: string, id: string): Promise<string | undefined> {
  return (await stage.server.everything(key)).find((node) => node.id.endsWith(id))?.name;
}

test("[W308] dates read as people say them until somebody writes in their line, and stay as they are stored", async () => {
  const { key, device, at } = await deviceWith({
    soon: `pay [${dayFromNow(1)}]`,
    late: `call [${dayFromNow(-3)}]`,
  });
  await stage.server.call("POST", "settings", { timezone: "Etc/UTC" }, key);
  const before = await htmlOf(key, at("soon"));
  const date = (name: string) => device.name(at(name)).locator("time");
  await expect.poll(() => date("soon").getAttribute("data-said"), SOON).toBe("tomorrow");
  await expect.poll(() => date("late").getAttribute("data-when"), SOON).toBe("past");
  const size = () => date("soon").evaluate((element) => getComputedStyle(element).fontSize);
  expect(await size()).toBe("0px");
  await device.focus(at("soon"));
  expect(await size()).not.toBe("0px");
  await device.type("!");
  await device.reaches("saved");
  expect(await htmlOf(key, at("soon"))).toBe(`${before ?? ""}!`);
});

test("[W310] colours and highlights are set over selected text by bar, key and palette", async () => {
  const { key, device, at } = await deviceWith({ a: "red and yellow", b: "all of it" });
  await device.focus(at("a"), "Home");
  await device.press("Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight");
  const bar = device.page.getByRole("toolbar", { name: "Selected text" });
  await bar.getByRole("button", { name: "Colours" }).click();
  await bar.getByRole("button", { name: "red letters" }).click();
  await expect
    .poll(() => htmlOf(key, at("a")), SOON)
    .toBe('<span class="colored c-red">red</span> and yellow');
  await device.press("Control+Shift+h");
  await expect.poll(() => htmlOf(key, at("a")), SOON).toContain('class="colored bc-yellow"');
  expect(await device.name(at("a")).locator("mark span").textContent()).toBe("red");
  await device.press("Control+Shift+h");
  await expect.poll(() => htmlOf(key, at("a")), SOON).not.toContain("bc-yellow");
  await device.focus(at("b"));
  await device.press("Control+;");
  await device.page.getByRole("dialog").getByRole("combobox").fill("green highlight");
  await device.press("Enter");
  await expect
    .poll(() => htmlOf(key, at("b")), SOON)
    .toBe('<mark class="colored bc-green">all of it</mark>');
  await device.press("Control+z");
  await expect.poll(() => htmlOf(key, at("b")), SOON).toBe("all of it");
});

test("[W295] the menu of a line has the colours, for the whole name", async () => {
  const { key, device, at } = await deviceWith({ a: "one", b: "two" });
  const { page } = device;
  await device.row(at("a")).locator("[data-part=bullet]").click({ button: "right" });
  await page.getByRole("menuitem", { name: "green highlight" }).click();
  await expect
    .poll(() => htmlOf(key, at("a")), SOON)
    .toBe('<mark class="colored bc-green">one</mark>');
  expect(await page.getByRole("menu").count()).toBe(0);
  await device.press("Control+z");
  await expect.poll(() => htmlOf(key, at("a")), SOON).toBe("one");
});

test("[W311] in focus mode all but the branch with the caret stand back", async () => {
  const { device, at } = await deviceWith({ a: "one", b: "two", c: "three" });
  await device.focus(at("b"));
  await device.press("Control+Alt+f");
  const dimmed = async () =>
    device.page.locator(".row[data-dim] [data-part=name]").allTextContents();
  await expect.poll(dimmed, SOON).toEqual(expect.arrayContaining(["one", "three"]));
  expect(await dimmed()).not.toContain("two");
  await device.focus(at("c"));
  await expect.poll(dimmed, SOON).not.toContain("three");
  await device.press("Control+Alt+f");
  await expect.poll(dimmed, SOON).toEqual([]);
});

/** Notes which lines are tinted from now on. */
async function watchTints(device: Device): Promise<() => Promise<readonly string[]>> {
  await device.page.evaluate(() => {
    const seen = document.documentElement.dataset;
    const isWatched = "animated" in seen;
    seen["animated"] = "";
    if (isWatched) return;
    // oxlint-disable-next-line typescript/unbound-method -- it is called with `this` below
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (this: Element, ...of) {
      const key = this.closest<HTMLElement>("[data-key]")?.dataset["key"];
      seen["animated"] = `${seen["animated"] ?? ""} ${key ?? "other"}`;
      return animate.apply(this, of);
    };
  });
  return async () => {
    const seen = await device.page.evaluate(() => document.documentElement.dataset["animated"]);
    return (seen ?? "").split(" ").filter((each) => each !== "");
  };
}

test("[W312] a line that another device has just changed is tinted, one's own is not", async () => {
  const { key, device, at } = await deviceWith({ a: "one", b: "two" });
  const tinted = await watchTints(device);
  await device.focus(at("a"));
  await device.type("!");
  await device.reaches("saved");
  await stage.server.call("POST", `nodes/${at("b")}`, { name: "two, changed" }, key);
  await device.shows(["one!", "two, changed"]);
  await expect.poll(tinted, SOON).toEqual([at("b")]);
});

test("[W313] a line grows into the title it becomes, but not for who wants less motion", async () => {
  for (const reducedMotion of ["no-preference", "reduce"] as const) {
    const { device, at } = await deviceWith({ a: "one", b: "two" });
    await device.page.emulateMedia({ reducedMotion });
    const moved = await watchTints(device);
    await device.row(at("a")).locator("[data-part=bullet]").click();
    await expect.poll(() => device.page.url(), SOON).toContain(at("a"));
    await device.page.locator("[data-part=title]").waitFor();
    await device.page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    expect((await moved()).length > 0).toBe(reducedMotion === "no-preference");
    await device.page.emulateMedia({ reducedMotion: null });
  }
});

test("[W314, W232] the places beside the outline: the week, where one was lately, tags with their number", async () => {
  const { key, device, at } = await deviceWith({
    a: "one #home",
    b: "two #home #work",
    c: "three",
  });
  const places = device.page.getByRole("navigation", { name: "Places" });
  const tags = () => places.locator(".tag-button").allTextContents();
  await expect.poll(tags, SOON).toEqual(["#home2", "#work1"]);
  // The same line once more.
  await stage.server.call("POST", `nodes/${at("a")}/mirror`, { parent_id: at("c") }, key);
  await expect.poll(async () => (await device.rows()).length, SOON).toBe(4);
  await device.focus(at("c"));
  await device.type(" #work");
  await expect.poll(tags, SOON).toEqual(["#home2", "#work2"]);
  await places.getByRole("button", { name: "#work" }).click();
  await device.shows(["two #home #work", "three #work"]);
  await places.getByRole("button", { name: "#home" }).click();
  await device.shows(["two #home #work"]);
  await places.getByRole("button", { name: "#home" }).click();
  await device.shows(["two #home #work", "three #work"]);
  await device.press("Escape");
  await device.row(at("a")).locator("[data-part=bullet]").click();
  await device.page.goBack();
  const lately = places.getByRole("link", { name: "one #home" });
  await lately.waitFor();
  // What it is in is deleted, and comes back.
  await stage.server.call("POST", `nodes/${at("a")}/move`, { parent_id: at("c") }, key);
  await device.shows(["two #home #work", "three #work", "  one #home", "  one #home"]);
  await device.focus(at("c"));
  await device.press("Control+Shift+Backspace");
  await expect.poll(() => lately.count(), SOON).toBe(0);
  await expect.poll(tags, SOON).toEqual(["#home1", "#work1"]);
  await device.press("Control+z");
  await expect.poll(() => lately.count(), SOON).toBe(1);
  await expect.poll(tags, SOON).toEqual(["#home2", "#work2"]);
  const today = places.locator(".week-day[data-today=true]");
  await today.click();
  await expect.poll(() => device.page.locator("[data-part=title]").count(), SOON).toBe(1);
  await expect.poll(() => today.textContent(), SOON).toContain("written on");
  expect(await places.locator(".week-day").count()).toBe(7);
});

test("[W93, W314] where the system forces its colours bullets, the week's marks, and where a drag would land, are seen", async () => {
  const { key, device, at } = await deviceWith({ a: "plain", b: "folded", c: "last" });
  const { page } = device;
  const below = { parent_id: at("b") };
  await stage.server.call("POST", `nodes/${at("a")}/mirror`, below, key);
  await device.shows(["plain", "folded", "  plain", "last"]);
  const mirror = (await device.rows())[2]?.key ?? "";
  await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
  /** Whether anything is painted there, or in its last pixels; nothing is in the corner. */
  const isSeen = async (there: Locator, last?: number) => {
    const whole = await there.boundingBox();
    if (whole === null) throw new Error("it is not in the page");
    const height = last ?? whole.height;
    const box = { ...whole, y: whole.y + whole.height - height, height };
    const size = { width: Math.min(16, Math.round(box.width)), height: Math.round(box.height) };
    const clips = [
      { ...size, x: Math.round(box.x + box.width / 2) - size.width / 2, y: Math.round(box.y) },
      { ...size, x: 1250, y: 690 },
    ];
    const [seen, nothing] = await Promise.all(clips.map((clip) => page.screenshot({ clip })));
    return seen?.equals(nothing ?? Buffer.of()) === false;
  };
  const bulletOf = (row: string) => device.row(row).locator("[data-part=bullet]");
  expect(await isSeen(bulletOf(mirror))).toBe(true);
  await device.row(at("b")).locator("[data-part=fold]").click();
  await device.shows(["plain", "folded", "last"]);
  expect(await isSeen(bulletOf(at("b")))).toBe(true);
  await bulletOf(at("a")).hover();
  expect(await isSeen(bulletOf(at("a")))).toBe(true);
  await page.mouse.down();
  const { x = 0, y = 0 } = (await bulletOf(at("c")).boundingBox()) ?? {};
  await page.mouse.move(x + 8, y + 20, { steps: 3 });
  expect(await isSeen(page.locator(".drop-line"))).toBe(true);
  await device.press("Escape");
  await page.mouse.up();
  await device.press("Alt+j");
  const marked = page.locator(".week-day[data-written=true]");
  await marked.waitFor();
  await device.press("Alt+ArrowLeft");
  await page.locator(".week-day[aria-current=page]").waitFor({ state: "detached" });
  expect(await isSeen(marked, 8)).toBe(true);
  await page.emulateMedia({ forcedColors: null, reducedMotion: null });
});

test("[W315] while all is well the status is a dot, and words come when something is not", async () => {
  const { device } = await deviceWith({ a: "one" });
  const words = device.page.locator(".status-text");
  const width = () => words.evaluate((element) => element.getBoundingClientRect().width);
  expect(await width()).toBeLessThan(2);
  await device.network.refuse();
  await device.reaches("local");
  expect(await width()).toBeGreaterThan(40);
});

test("[W316] a sign-in link offers its key, which leaves the address and waits for a yes", async () => {
  const key = await stage.person();
  const device = await stage.stranger();
  // Another part of the same address is no new page.
  await device.page.goto("about:blank");
  await device.page.goto(`${device.network.url}/#key=${key}`);
  await expect.poll(() => device.page.getByLabel("Your key").inputValue(), SOON).toBe(key);
  expect(device.page.url()).not.toContain(key);
  await device.page.getByRole("button", { name: "Sign in", exact: true }).click();
  await device.ready();
});

test("[W237] what links to a line stands in the column of its text", async () => {
  const { key, device, at } = await deviceWith({ a: "one", b: "two" });
  await stage.server.call("POST", `nodes/${at("b")}`, { name: `see [one](#/${at("a")})` }, key);
  await device.page.goto(`${device.network.url}/#/${at("a")}`);
  const left = async (selector: string) =>
    (await device.page.locator(selector).boundingBox())?.x ?? NaN;
  expect(await left(".backlinks h2")).toBeCloseTo(await left("[data-part=title]"), 0);
});
