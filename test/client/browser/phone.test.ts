import { expect, test } from "vitest";
import type { Device } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const PHONE = {
  context: { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true },
} as const;

const stage = useStage(PHONE);

/** A finger that goes from the middle of a line by so many pixels, in steps, and is lifted. */
async function swipe(device: Device, key: string, across: number, down = 0, back = 0) {
  const box = await device.name(key).boundingBox();
  if (box === null) throw new Error("the line is not in sight");
  const devtools = await device.devtools();
  const x = box.x + 120;
  const y = box.y + box.height / 2;
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", dx: number, dy: number) =>
    devtools.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: type === "touchEnd" ? [] : [{ x: x + dx, y: y + dy }],
    });
  await touch("touchStart", 0, 0);
  for (let step = 1; step <= 8; step++) {
    await touch("touchMove", (across * step) / 8, (down * step) / 8);
  }
  const shown = await device.row(key).getAttribute("data-swipe");
  if (back !== 0) await touch("touchMove", back, down);
  await touch("touchEnd", 0, 0);
  return shown;
}

test("[W302] a finger that goes sideways indents, outdents and completes, and each can be undone", async () => {
  const { device, lineOf } = await stage.desk("one", "two");
  const two = lineOf("two");
  expect(await swipe(device, two, 90)).toBe("indent");
  await device.shows(["one", "  two"]);
  expect(await swipe(device, two, -90)).toBe("outdent");
  await device.shows(["one", "two"]);
  expect(await swipe(device, two, 170)).toBe("complete");
  const isCompleted = async () => (await device.rows())[1]?.isCompleted;
  await expect.poll(isCompleted, SOON).toBe(true);
  await device.page.getByRole("button", { name: "Undo" }).last().click();
  await expect.poll(isCompleted, SOON).toBe(false);
});

test("[W302] a finger that goes back, or scrolls, does nothing", async () => {
  const { device, lineOf } = await stage.desk("one", "two");
  const two = lineOf("two");
  expect(await swipe(device, two, 90, 0, 4)).toBe("indent");
  expect(await swipe(device, two, 30, -200)).toBe(null);
  expect(await device.row(two).getAttribute("data-swipe")).toBe(null);
  expect(await device.sketch()).toEqual(["one", "two"]);
});

test("[W303] while lines are selected a tap selects up to there, and the bar works on all of them", async () => {
  const { device, lineOf } = await stage.desk("one", "two", "three", "four");
  const two = lineOf("two");
  const bullet = await device.row(two).locator("[data-part=bullet]").boundingBox();
  const devtools = await device.devtools();
  const at = { x: (bullet?.x ?? 0) + 8, y: (bullet?.y ?? 0) + 8 };
  await devtools.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [at] });
  await device.row(two).and(device.page.locator("[data-held]")).waitFor();
  await devtools.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await device.page.getByRole("menuitem", { name: "Select lines" }).tap();
  await device.name(lineOf("three")).tap();
  const selected = async () =>
    (await device.rows()).filter(({ isSelected }) => isSelected).map(({ name }) => name);
  await expect.poll(selected, SOON).toEqual(["two", "three"]);
  const bar = device.page.getByRole("toolbar", { name: "Editing" });
  await bar.getByRole("button", { name: "Indent" }).tap();
  await device.shows(["one", "  two", "  three", "four"]);
  const done = bar.getByRole("button", { name: "Done" });
  await device.page.setViewportSize({ width: 360, height: 780 });
  const { x = 0, width = 0 } = (await done.boundingBox()) ?? {};
  expect(x + width).toBeLessThanOrEqual(360);
  await done.tap();
  await expect.poll(selected, SOON).toEqual([]);
  await bar.waitFor({ state: "detached" });
});

test("[W303] the finger that opens a menu chooses nothing in it when it is lifted", async () => {
  const { device, lineOf } = await stage.desk("one", "two", "three");
  await device.page.setViewportSize({ width: 320, height: 568 });
  await swipe(device, lineOf("two"), 90);
  const two = lineOf("two");
  const box = await device.row(two).locator("[data-part=bullet]").boundingBox();
  const devtools = await device.devtools();
  const at = { x: (box?.x ?? 0) + 12, y: (box?.y ?? 0) + 12 };
  await devtools.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [at] });
  await device.row(two).and(device.page.locator("[data-held]")).waitFor();
  await devtools.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  const menu = device.page.getByRole("menu", { name: "Line" });
  await menu.waitFor();
  // It lies under the finger.
  expect(
    await device.page.evaluate(({ x, y }) => {
      const element = document.elementFromPoint(x, y);
      return element?.closest("[role=menuitem]") !== null;
    }, at),
  ).toBe(true);
  // What comes behind it in the page has come by then.
  await menu.getByRole("menuitem", { name: "Select lines" }).tap();
  await device.page.getByRole("toolbar", { name: "Editing" }).waitFor();
  expect(await device.sketch()).toEqual(["one", "  two", "three"]);
});

test("[W302] a swipe promises nothing that can't be done", async () => {
  const { device, lineOf } = await stage.desk("one", "two");
  expect(await swipe(device, lineOf("one"), 90)).toBe("none");
  expect(await swipe(device, lineOf("two"), -90)).toBe("none");
  expect(await device.sketch()).toEqual(["one", "two"]);
});

test("[W47] undo takes back the word that is being composed, not what was done before it", async () => {
  const { device, lineOf } = await stage.desk("one");
  await device.name(lineOf("one")).tap();
  await device.press("End", "Enter");
  await device.type("two");
  const bar = device.page.getByRole("toolbar", { name: "Editing" });
  await bar.getByRole("button", { name: "Indent" }).tap();
  await device.shows(["one", "  two"]);
  const devtools = await device.devtools();
  for (const text of [" x", " xy"]) {
    const at = text.length;
    await devtools.send("Input.imeSetComposition", { text, selectionStart: at, selectionEnd: at });
  }
  await device.shows(["one", "  two xy"]);
  await bar.getByRole("button", { name: "Undo" }).tap();
  await device.shows(["one", "  two"]);
  expect(await device.caret()).toMatchObject({ part: "name", at: 3 });
  await bar.getByRole("button", { name: "Undo" }).tap();
  await device.shows(["one", "two"]);
});

test("[W433] what a search leaves out is selected no more", async () => {
  const { device, lineOf } = await stage.desk("one", "two", "three");
  const bullet = device.row(lineOf("two")).locator("[data-part=bullet]");
  await bullet.dispatchEvent("contextmenu", { button: 2, bubbles: true });
  await device.page.getByRole("menuitem", { name: "Select lines" }).tap();
  const bar = device.page.getByRole("toolbar", { name: "Editing" });
  await bar.waitFor();
  await device.page.getByRole("searchbox", { name: "Search" }).fill("one");
  await bar.waitFor({ state: "detached" });
  await device.shows(["one"]);
});

test("[W304] the bar has notes, zoom and move, and where nobody writes a + captures", async () => {
  const { key, device, lineOf } = await stage.desk("one", "two");
  const two = lineOf("two");
  await device.page.getByRole("button", { name: "Capture into the inbox" }).tap();
  const field = device.page.getByLabel("What is on your mind?");
  await field.fill("a thought\nand more");
  await device.page.getByRole("button", { name: "Capture", exact: true }).tap();
  await expect
    .poll(
      async () => (await stage.server.everything(key)).find(({ name }) => name === "a thought"),
      SOON,
    )
    .toMatchObject({ note: "and more" });
  await device.name(two).tap();
  const bar = device.page.getByRole("toolbar", { name: "Editing" });
  await bar.getByRole("button", { name: "Note", exact: true }).tap();
  await device.type("noted");
  await expect
    .poll(async () => (await device.rows()).find((row) => row.key === two)?.note, SOON)
    .toBe("noted");
  await bar.getByRole("button", { name: "Move to" }).tap();
  await device.page.getByRole("dialog").waitFor();
  await device.press("Escape");
  await device.name(two).tap();
  await bar.getByRole("button", { name: "Zoom in" }).tap();
  await expect.poll(() => device.page.url(), SOON).toContain(`#/${two}`);
});

test("[W231] on a narrow screen with large letters the words of a search are in sight", async () => {
  const { device } = await stage.desk("milk");
  const { page } = device;
  await page.setViewportSize({ width: 360, height: 780 });
  await page.evaluate(() => document.documentElement.setAttribute("data-text-size", "large"));
  const box = page.getByRole("searchbox", { name: "Search" });
  await box.fill("milk");
  await page.getByRole("button", { name: "Save this search" }).waitFor();
  expect(await box.evaluate((at) => at.scrollWidth <= at.clientWidth)).toBe(true);
  await page.evaluate(() => document.documentElement.removeAttribute("data-text-size"));
});

test("[W437] on the narrowest screen windows cut nothing off, and the palette names no keys", async () => {
  const { device, lineOf } = await stage.desk("a");
  const { page } = device;
  await page.setViewportSize({ width: 320, height: 640 });
  const dialog = page.getByRole("dialog");
  const open = async (command: string) => {
    await device.focus(lineOf("a"));
    await device.press("Control+;");
    await dialog.getByRole("combobox").fill(command);
    await expect.poll(() => dialog.getByRole("option").first().innerText(), SOON).toBe(command);
    await device.press("Enter");
    const heading = dialog.getByRole("heading").first();
    await heading.waitFor();
    const cut = await dialog.evaluate((element) =>
      [...element.querySelectorAll(":not(.visually-hidden)")]
        .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
        .map(({ outerHTML }) => outerHTML.slice(0, 80)),
    );
    await device.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    return cut;
  };
  expect(await open("Capture…")).toEqual([]);
  expect(await open("Date…")).toEqual([]);
});

test("[W305] shortcuts of the home screen open what they are called, and leave the address as it was", async () => {
  const { device } = await stage.desk("one");
  await device.page.goto(`${device.network.url}/?do=capture`);
  await device.page.getByLabel("What is on your mind?").waitFor();
  expect(new URL(device.page.url()).search).toBe("");
  const manifest = await device.page.evaluate(async () =>
    (await fetch("/manifest.webmanifest")).json(),
  );
  expect(manifest).toMatchObject({
    shortcuts: [{ url: "/?do=capture" }, { url: "/?do=today" }],
    share_target: { action: "/share", method: "POST" },
  });
});

async function installedPhone() {
  const key = await stage.person();
  await stage.server.create("one", undefined, key);
  const device = await stage.device(key, { ...PHONE, installs: true });
  await device.installed();
  return { key, device };
}

test("[W306] what another app shares is in the inbox, letter for letter, without a network too", async () => {
  const { key, device } = await installedPhone();
  await device.reload();
  await device.network.refuse();
  await device.page.evaluate(async () => {
    const shared = new FormData();
    shared.set("title", "# A **page** [x] & <b>more</b>");
    shared.set("text", "https://example.com/a_b_c\nread it\n\n  twice\nread it");
    shared.set("url", "https://example.com/a_b_c");
    await fetch("/share", { method: "POST", body: shared });
  });
  await device.reload();
  await device.page.getByText("Shared into the inbox").first().waitFor();
  await device.comeBack();
  await device.reaches("saved");
  const inbox = async () =>
    (await stage.server.everything(key)).filter(({ note }) => note?.includes("read it") === true);
  await expect.poll(inbox, SOON).toHaveLength(1);
  await device.reload();
  await device.reaches("saved");
  expect(await inbox()).toMatchObject([
    {
      name: "# A **page** [x] &amp; &lt;b&gt;more&lt;/b&gt;",
      note: "https://example.com/a_b_c\nread it\n\n  twice\nread it",
    },
  ]);
});

test("[W306] what was shared is in the inbox once, though the page ends before that is forgotten", async () => {
  const { key, device } = await installedPhone();
  const share = () =>
    device.page.evaluate(async () => {
      const cache = await caches.open("outline-shared");
      const shared = { title: "shared", text: "", url: "" };
      await cache.put("/shared/1-00000000-0000-4000-8000-0123456789ab", Response.json(shared));
    });
  const isForgotten = () =>
    device.page.evaluate(async () => {
      const cache = await caches.open("outline-shared");
      return (await cache.keys()).length === 0;
    });
  for (const _ of ["first", "again"]) {
    await share();
    await device.reload();
    await expect.poll(isForgotten, SOON).toBe(true);
    await device.reaches("saved");
    const inbox = (await stage.server.everything(key)).filter(({ name }) => name === "shared");
    expect(inbox).toHaveLength(1);
  }
});

test("[W307, W297] who begins on a phone is taught the phone, and what opens while one writes", async () => {
  const device = await stage.device(await stage.person(), PHONE);
  await expect.poll(async () => (await device.rows()).length, SOON).toBeGreaterThan(5);
  const taught = (await device.sketch()).join("\n");
  expect(taught).toContain("Swipe that line to the right");
  expect(taught).not.toMatch(/Ctrl|Tab\b|Alt/);
  // No keyboard lies over what is to be read.
  await device.page.getByRole("button", { name: "Capture into the inbox" }).waitFor();
  expect(await device.page.evaluate(() => document.activeElement?.tagName)).toBe("BODY");
  await device.page.getByRole("button", { name: "Menu" }).tap();
  await device.page.getByRole("menuitem", { name: "Help" }).tap();
  await device.page.getByRole("heading", { name: "By touch" }).waitFor();
  const named = await device.page.getByRole("dialog").locator("dd").allTextContents();
  expect(named).toEqual(expect.arrayContaining(["[[", "#", "@", "/", "due:today", "this > that"]));
  // Beside a long explanation there is room for what it explains.
  await device.page.setViewportSize({ width: 360, height: 780 });
  const shares = await device.page
    .locator(".help-line")
    .evaluateAll((lines) =>
      lines.map((line) => (line.querySelector("dd")?.clientWidth ?? 0) / line.clientWidth),
    );
  expect(Math.max(...shares)).toBeLessThan(0.65);
});
