import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import type { Device } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

test("Escape closes the page's menu and leaves the caret to the person", async () => {
  const { device } = await stage.desk("a");
  await device.page.getByRole("button", { name: "Menu", exact: true }).click();
  const item = device.page.getByRole("menuitem", { name: /Settings/ });
  await item.waitFor();
  await device.press("Escape");
  await expect.poll(() => item.isVisible(), SOON).toBe(false);
  const focused = device.page.getByRole("button", { name: "Menu", exact: true });
  await expect
    .poll(() => focused.evaluate((button) => button === document.activeElement), SOON)
    .toBe(true);
});

test("after a line was moved out of sight the caret is in the line above it", async () => {
  const { device, lineOf, stored } = await stage.desk("target", "here", "  stays", "  goes");
  await device.row(lineOf("here")).locator("[data-part=bullet]").click();
  await device.shows(["stays", "goes"]);
  await device.name(lineOf("goes")).click();
  await device.press("Control+Shift+M");
  await device.page.getByLabel("Move to").last().waitFor();
  await device.type("target");
  await device.page.getByRole("option", { name: /target/ }).waitFor();
  await device.press("Enter");
  await device.shows(["stays"]);
  await expect
    .poll(() => device.caret(), SOON)
    .toEqual({ key: lineOf("stays"), part: "name", at: 5 });
  await expect.poll(stored, SOON).toEqual(["target", "  goes", "here", "  stays"]);
});

test("[W53] a command of the palette works on what was focused before", async () => {
  const { device, lineOf, stored, beside } = await stage.desk("one two");
  const line = lineOf("one two");
  const other = await beside();
  await device.focus(line, "Home");
  for (let count = 0; count < 3; count++) await device.press("Shift+ArrowRight");
  const choose = async (name: string): Promise<void> => {
    await device.page.getByRole("combobox", { name: "Command" }).fill(name);
    await device.page.getByRole("option", { name }).first().waitFor();
    await device.press("Enter");
    await device.page.getByRole("dialog").waitFor({ state: "detached" });
  };
  await device.press("Control+;");
  await choose("Bold");
  await expect.poll(stored, SOON).toEqual(["<b>one</b> two"]);

  await device.press("Control+;");
  await other.focus(line, "Home");
  await other.type("0 ");
  await device.shows(["0 one two"]);
  await choose("Italic");
  await expect.poll(stored, SOON).toEqual(["0 <i><b>one</b></i> two"]);

  // With a caret it is about what is typed next.
  await device.focus(line);
  await device.press("Control+;");
  await choose("Code");
  await device.type("x");
  await expect.poll(stored, SOON).toEqual(["0 <i><b>one</b></i> two<code>x</code>"]);
});

test("[W90] a date that is clicked is what the dialog begins with", async () => {
  const { device, stored } = await stage.desk("(**[2026-12-24 09:30]**) x");
  const dialog = device.page.getByRole("dialog");
  const day = dialog.getByLabel("Or pick a day");
  const open = async (): Promise<void> => {
    await device.page.locator("[role=treeitem] time").click();
    await dialog.getByRole("button", { name: "Change" }).waitFor();
  };
  await device.shows(["(Thu, Dec 24, 2026 at 9:30am) x"]);
  await open();
  expect([await day.inputValue(), await dialog.getByLabel("Time").inputValue()]).toEqual([
    "2026-12-24",
    "09:30",
  ]);
  await day.fill("2026-12-31");
  await device.press("Enter");
  await device.shows(["(Thu, Dec 31, 2026 at 9:30am) x"]);
  await open();
  await device.type("dec 1");
  await device.press("Enter");
  await device.shows(["(Tue, Dec 1, 2026 at 9:30am) x"]);
  const tag = '<time startYear="2026" startMonth="12" startDay="1" startHour="9" startMinute="30">';
  await expect.poll(stored, SOON).toEqual([`(<b>${tag}Tue, Dec 1, 2026 at 9:30am</time></b>) x`]);
});

test("[W81] a star takes no other line's short name", async () => {
  const { device, lineOf } = await stage.desk("one", "two");
  const name = device.page.getByLabel("Short name");
  const star = async (line: string): Promise<void> => {
    await device.focus(line);
    await device.press("Control+Shift+Digit8");
    await name.fill("Work");
    await device.press("Enter");
  };
  await star(lineOf("one"));
  await name.waitFor({ state: "detached" });
  await star(lineOf("two"));
  await device.page.getByText("“one” is called that").waitFor();
  await device.press("Escape");
  const starred = device.page.getByRole("navigation", { name: "Places" }).getByRole("link");
  await expect.poll(() => starred.allTextContents(), SOON).toContain("one");
  expect(await starred.allTextContents()).not.toContain("two");
});

test("[W80] deleting for good asks first, and takes neither a double click nor a held key for a yes", async () => {
  const key = await stage.person();
  for (const name of ["one", "two", "rest"]) await stage.server.create(name, undefined, key);
  const device = await stage.device(key);
  const { page } = device;
  await device.shows(["one", "two", "rest"]);
  await device.focus(await device.keyOf("one"));
  await device.press("Shift+ArrowDown", "Shift+ArrowDown", "Backspace");
  await device.shows(["rest"]);
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("menuitem", { name: "Trash" }).click();
  const entries = page.getByRole("dialog").getByRole("listitem");
  await page.getByRole("button", { name: "Delete for good" }).first().dblclick();
  await page.getByRole("button", { name: "Really delete" }).waitFor();
  await page.getByRole("button", { name: "Empty the trash" }).dblclick();
  const sure = page.getByRole("button", { name: "Delete everything here" });
  await sure.waitFor();
  // The other one asks no more.
  await page.getByRole("button", { name: "Really delete" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Delete for good" }).first().focus();
  await page.keyboard.down("Enter");
  await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  const really = page.getByRole("button", { name: "Really delete" });
  expect([
    await entries.count(),
    await really.evaluate((at) => at === document.activeElement),
  ]).toEqual([2, true]);
  await device.press("Enter");
  await expect.poll(() => entries.count(), SOON).toBe(1);
  await page.getByRole("button", { name: "Empty the trash" }).click();
  await sure.click();
  await expect.poll(() => entries.count(), SOON).toBe(0);
});

async function openCapture(device: Device): Promise<Locator> {
  await device.press("Control+;");
  await device.page.getByRole("combobox", { name: "Command" }).fill("Capture");
  await device.page
    .getByRole("option", { name: /Capture/ })
    .first()
    .waitFor();
  await device.press("Enter");
  return device.page.getByLabel("What is on your mind?");
}

test("[L95] what is captured and can't be taken stays in its field", async () => {
  const { device } = await stage.desk("a");
  const field = await openCapture(device);
  await field.fill("x".repeat(2 ** 20 + 1));
  await field.press("Enter");
  await device.page.getByText("more than a million characters").first().waitFor();
  expect(await field.isVisible()).toBe(true);
  await field.fill("short");
  await field.press("Enter");
  await device.page.getByText("Captured into the inbox").first().waitFor();
});

test("[W98] a thought is still there after its dialog was closed or its page left, and is captured once, whenever that ends", async () => {
  const key = await stage.person();
  const device = await stage.device(key);
  const left = () => device.page.evaluate(() => localStorage.getItem("outline.draft"));
  await (await openCapture(device)).fill("half a thought");
  await device.press("Escape");
  expect(await (await openCapture(device)).inputValue()).toBe("half a thought");
  const draft = await left();
  await device.reload();
  const field = await openCapture(device);
  expect(await field.inputValue()).toBe("half a thought");
  await field.press("Enter");
  await expect.poll(left, SOON).toBe(null);
  await device.reaches("saved");
  // As if the page had ended before that was forgotten.
  await device.page.evaluate((value) => localStorage.setItem("outline.draft", value ?? ""), draft);
  await device.reload();
  const again = await openCapture(device);
  expect(await again.inputValue()).toBe("");
  await again.fill("another");
  await again.press("Enter");
  await device.page.getByText("Captured into the inbox").first().waitFor();
  expect(await (await openCapture(device)).inputValue()).toBe("");
  await device.reaches("saved");
  const captured = (await stage.server.everything(key)).map(({ name }) => name);
  expect(captured.filter((name) => /^another$|thought$/.test(name))).toEqual([
    "another",
    "half a thought",
  ]);
});

test("[W53] who types quicker than the list follows gets what was typed", async () => {
  const { device, lineOf, stored } = await stage.desk("one");
  await device.focus(lineOf("one"), "Home");
  await device.press("Shift+End");
  await device.press("Control+;");
  await device.page.getByRole("combobox", { name: "Command" }).waitFor();
  // Both in one task: nothing is drawn between.
  await device.page.evaluate(() => {
    const field = document.querySelector<HTMLInputElement>(".finder-input");
    if (field === null) throw new Error("there is no field");
    field.value = "Italic";
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    field.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }),
    );
  });
  await expect.poll(stored, SOON).toEqual(["<i>one</i>"]);
});

/** Asks for a dialog by a key, types into it, and presses keys, all of it before the page draws anything. */
function inOneTask(
  { page }: Device,
  key: { readonly key: string; readonly code: string },
  words: string,
  ...then: readonly string[]
): Promise<boolean> {
  return page.evaluate(
    async ([asked, typed, keys]) => {
      const press = (init: KeyboardEventInit): void => {
        const event = new KeyboardEvent("keydown", { ...init, bubbles: true, cancelable: true });
        document.activeElement?.dispatchEvent(event);
      };
      press({ ...asked, ctrlKey: true });
      for (let step = 0; step < 100; step++) await Promise.resolve();
      const field = document.activeElement;
      if (!(field instanceof HTMLInputElement)) return false;
      field.value = typed;
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      for (const each of keys) {
        for (let step = 0; step < 100; step++) await Promise.resolve();
        press({ key: each });
      }
      return true;
    },
    [key, words, then] as const,
  );
}

const JUMP = { key: "k", code: "KeyK" };
const PALETTE = { key: ";", code: "Semicolon" };

/** Opens and closes the dialogs of these keys. */
async function fetchDialogs(device: Device, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await device.press(key);
    const field = device.page.getByRole("combobox");
    await field.waitFor();
    await device.press("Escape");
    await field.waitFor({ state: "detached" });
  }
}

test("[W53] who takes a command before the palette is drawn, the last dialog or not, types on where they were", async () => {
  const { device, lineOf, stored } = await stage.desk("one");
  await device.focus(lineOf("one"));
  await fetchDialogs(device, "Control+k", "Control+;");
  await device.focus(lineOf("one"));
  expect(await inOneTask(device, JUMP, "")).toBe(true);
  await device.press("Escape");
  await device.page.getByRole("combobox").waitFor({ state: "detached" });
  expect(await inOneTask(device, PALETTE, "Code", "Enter")).toBe(true);
  await device.type("x");
  await expect.poll(stored, SOON).toEqual(["one<code>x</code>"]);
});

test("[W208] who jumps before anything is drawn types on in the line they named", async () => {
  const { device, lineOf, stored } = await stage.desk("one", "two", "twofold");
  await device.focus(lineOf("one"));
  await fetchDialogs(device, "Control+k");
  await device.focus(lineOf("one"));
  expect(await inOneTask(device, JUMP, "twof", "Enter")).toBe(true);
  await device.type("x");
  await expect.poll(stored, SOON).toEqual(["one", "two", "twofoldx"]);
});

test("[W53] what is typed before the dialog that was asked for is there is typed into it", async () => {
  const { device, lineOf } = await stage.desk("home");
  await device.focus(lineOf("home"));
  // All of it before the page draws anything: nobody is slower than that.
  await device.page.evaluate(() => {
    const press = (init: KeyboardEventInit): void => {
      const event = new KeyboardEvent("keydown", { ...init, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(event);
    };
    press({ key: "k", code: "KeyK", ctrlKey: true });
    for (const letter of "hx") press({ key: letter });
    press({ key: "Backspace" });
    press({ key: "o" });
  });
  const field = device.page.getByRole("combobox", { name: "Jump to" });
  await expect.poll(() => field.inputValue(), SOON).toBe("ho");
  await device.type("me");
  await expect.poll(() => field.inputValue(), SOON).toBe("home");
  expect(await device.sketch()).toEqual(["home"]);
});

test("[W35] what finds nothing is typed on: Enter and the arrows leave the caret there", async () => {
  const { device } = await stage.desk("apple");
  await device.press("Control+F");
  await device.type("apx");
  await device.shows([]);
  await device.press("Enter", "ArrowDown", "Backspace");
  await device.shows(["apple"]);
  await device.press("Enter");
  await expect.poll(async () => (await device.caret())?.at, SOON).toBe(0);
});

test("[L130] a search that finds nothing says which operator there is not", async () => {
  const { device } = await stage.desk("apple");
  await device.press("Control+F");
  await device.type("due:someday");
  await device.page.getByText(/^“due:someday” is looked for as a word: due: takes today/).waitFor();
  await device.press("Control+A");
  await device.type("apx");
  await device.page.getByText("Nothing here matches.").waitFor();
  expect(await device.page.locator(".no-rows").count()).toBe(1);
});

test("[W79] an empty file is told, and one that was mended can be chosen again", async () => {
  const { device } = await stage.desk("a");
  await device.page.getByRole("button", { name: "Menu", exact: true }).click();
  await device.page.getByRole("menuitem", { name: /Import/ }).click();
  const input = device.page.getByLabel("File to import");
  const choose = (text: string): Promise<void> =>
    input.setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from(text) });
  await choose("");
  await device.page.getByText(/there is nothing in the file/).waitFor();
  expect(await input.inputValue()).toBe("");
  await choose("b");
  await device.page.getByRole("button", { name: "Import 1 line" }).click();
  await device.shows(["a", "b"]);
});

test("[W78, W79] Enter in the windows for export and import does what they are for", async () => {
  const { device } = await stage.desk("one");
  const { page } = device;
  const dialog = page.getByRole("dialog");
  for (const [name, button] of [
    ["Export…", "Download"],
    ["Import…", "Choose a file…"],
  ] as const) {
    await page.getByRole("button", { name: "Menu", exact: true }).click();
    await page.getByRole("menuitem", { name }).press("Enter");
    await dialog.waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await expect.poll(focused, SOON).toBe(button);
    await device.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }
});

test("[W79] behind the import of a dropped file the caret is in its first line", async () => {
  const { device, lineOf } = await stage.desk("a");
  await device.focus(lineOf("a"));
  await device.press("Control+Shift+Backspace");
  await device.shows([]);
  const drop = (text: string): Promise<void> =>
    device.page.evaluate((content) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], "a.txt", { type: "text/plain" }));
      const init = { dataTransfer, bubbles: true, cancelable: true };
      document.body.dispatchEvent(new DragEvent("drop", init));
    }, text);
  await drop("one\ntwo");
  await device.page.getByRole("button", { name: "Import 2 lines" }).click();
  await device.shows(["one", "two"]);
  const one = await device.keyOf("one");
  await expect.poll(() => device.caret(), SOON).toEqual({ key: one, part: "name", at: 0 });
  await device.type("1");
  await device.shows(["1one", "two"]);
  await drop("three");
  await device.page.getByRole("button", { name: "Import 1 line" }).click();
  await device.shows(["1one", "two", "three"]);
  await device.type("3");
  await device.shows(["1one", "two", "3three"]);
});

test("[W53] when the page is scrolled under a bullet's menu the keys go on with the line", async () => {
  const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`);
  const { device, stored } = await stage.desk(...lines);
  const row = device.page.getByRole("treeitem", { name: "line 3", exact: true });
  await row.locator("[data-part=bullet]").click({ button: "right" });
  const menu = device.page.getByRole("menu", { name: "Line" });
  await menu.waitFor();
  await device.page.mouse.wheel(0, 120);
  await menu.waitFor({ state: "detached" });
  await device.press("Delete");
  await expect.poll(stored, SOON).toEqual(lines.filter((name) => name !== "line 3"));
});

test("[W53] after a command of a bullet's menu the keys go on with the line", async () => {
  const { device, lineOf } = await stage.desk("a", "b");
  await device.row(lineOf("a")).locator("[data-part=bullet]").click({ button: "right" });
  await device.page.getByRole("menuitem", { name: /Complete/ }).click();
  await expect.poll(async () => (await device.rows())[0]?.isCompleted, SOON).toBe(true);
  await device.press("ArrowDown");
  expect(await device.caret()).toMatchObject({ key: lineOf("b") });
});

test("[W76] on a phone a notice lies over no button of the bar", async () => {
  const key = await stage.person();
  const line = await stage.server.create("a", undefined, key);
  await stage.server.create("b", undefined, key);
  const phone = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };
  const device = await stage.device(key, { context: phone });
  await device.name(line).tap();
  await device.press("Control+Shift+Backspace");
  await device.shows(["b"]);
  await device.page.locator("[data-part=notice]").waitFor();
  const bar = device.page.getByRole("toolbar", { name: "Editing" });
  for (const button of await bar.getByRole("button").all()) await button.tap({ trial: true });
});

test("[W97] what is looked at is printed with all rows and notes", async () => {
  const key = await stage.person();
  const { server } = stage;
  const top = await server.create("top", undefined, key, { note: "note of top" });
  const head = await server.create("head", top, key, { layoutMode: "h1", note: "note of head" });
  await Promise.all(Array.from({ length: 40 }, (_, index) => server.create(`l${index}`, top, key)));
  let deepest = top;
  for (let depth = 0; depth < 40; depth++) deepest = await server.create("deep down", deepest, key);
  const device = await stage.device(key);
  await device.row(top).locator("[data-part=bullet]").click();
  await device.row(head).waitFor();
  const paper = device.page.locator(".print-view");
  // It is fetched behind all that a page begins with.
  await paper.waitFor({ state: "attached" });
  await device.page.emulateMedia({ media: "print" });
  await device.page.evaluate(() => void dispatchEvent(new Event("beforeprint")));
  expect((await paper.innerText()).split(/\n+/).slice(0, 4)).toEqual([
    "top",
    "note of top",
    "head",
    "note of head",
  ]);
  expect(await paper.locator(".print-row").count()).toBe(81);
  // A sheet of paper is narrow: what is deep has room on it.
  await device.page.setViewportSize({ width: 650, height: 900 });
  const deep = (await paper.locator(".print-row").last().boundingBox()) ?? { x: 0, width: 0 };
  expect(deep.width).toBeGreaterThan(200);
  expect(deep.x + deep.width).toBeLessThanOrEqual(650);
  const weight = paper
    .locator(".print-row .text-note")
    .evaluate((note) => getComputedStyle(note).fontWeight);
  expect(await weight).toBe("400");
  await device.page.evaluate(() => (document.documentElement.dataset["theme"] = "dark"));
  const scheme = paper.evaluate((page) => getComputedStyle(page).colorScheme);
  expect(await scheme, "paper is white").toBe("light");
});

test("[W92] where a search has no line left the focus is in its words, and behind it in the title", async () => {
  const { device } = await stage.desk("apple", "pear");
  const focused = (): Promise<string | undefined> =>
    device.page.evaluate(() => {
      const { activeElement } = document;
      if (activeElement?.getAttribute("type") === "search") return "search";
      return activeElement instanceof HTMLElement ? activeElement.dataset["part"] : undefined;
    });
  await device.press("Control+F");
  await device.type("apple");
  await device.press("Enter", "Control+Shift+Backspace");
  await device.shows([]);
  await expect.poll(focused, SOON).toBe("search");
  await device.press("Escape");
  await device.shows(["pear"]);
  await device.press("Alt+ArrowRight");
  await device.shows([]);
  await device.press("Control+F", "Escape");
  await expect.poll(focused, SOON).toBe("title");
});
