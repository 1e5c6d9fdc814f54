import { describe, expect, test } from "vitest";
import type { Device } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

/** What an input method shows while a word is being written, step by step. */
const STEPS = ["に", "にh", "にほ", "にほん"];

async function compose(device: Device, steps: readonly string[] = STEPS): Promise<void> {
  const devtools = await device.devtools();
  for (const text of steps) {
    const at = text.length;
    await devtools.send("Input.imeSetComposition", { text, selectionStart: at, selectionEnd: at });
  }
}

/** Ends the composition with the chosen word. */
async function commit(device: Device, text: string): Promise<void> {
  await (await device.devtools()).send("Input.insertText", { text });
}

/** With the caret at the line's start. */
async function openLine(name: string, ...others: readonly string[]) {
  const desk = await stage.desk(name, ...others);
  const line = desk.lineOf(name);
  await desk.device.focus(line, "Home");
  return { ...desk, line };
}

const NAME = "hello world";

async function toMiddle(device: Device): Promise<void> {
  for (let count = 0; count < "hello".length; count++) await device.press("ArrowRight");
}

describe("an input method", () => {
  test("a composition is written once, with what was chosen", async () => {
    const { device, stored } = await openLine(NAME);
    await toMiddle(device);
    await compose(device);
    await commit(device, "日本");
    await device.shows(["hello日本 world"]);
    await expect.poll(stored, SOON).toEqual(["hello日本 world"]);
    await device.type("!");
    await device.shows(["hello日本! world"]);
  });

  test.each([
    { what: "before it", name: "REMOTE hello world", after: "REMOTE hello日本 world" },
    { what: "behind it", name: "hello world REMOTE", after: "hello日本 world REMOTE" },
    { what: "on both sides", name: "A hello world Z", after: "A hello日本 world Z" },
    { what: "that takes text away", name: "hello", after: "hello日本" },
  ])("a remote edit during a composition, $what, is kept", async ({ name, after }) => {
    const { key, line, device, lineOf, stored } = await openLine(NAME, "a witness");
    await toMiddle(device);
    await compose(device, STEPS.slice(0, 3));
    await stage.server.call("POST", `nodes/${line}`, { name }, key);
    // The witness's row changes behind the line's edit: by then that has come too.
    await stage.server.call("POST", `nodes/${lineOf("a witness")}`, { name: "the witness" }, key);
    await expect.poll(async () => (await device.rows())[1]?.name, SOON).toBe("the witness");
    await compose(device, STEPS.slice(3));
    await commit(device, "日本");
    await device.shows([after, "the witness"]);
    await expect.poll(stored, SOON).toEqual([after, "the witness"]);
    expect(await device.caret()).toMatchObject({ key: line, at: after.indexOf("本") + 1 });
  });

  test("[W4] what is composed in a line that somebody moves out of sight is written", async () => {
    const { key, line, device, lineOf, stored } = await openLine(NAME, "folded", "  inside");
    const folded = lineOf("folded");
    await device.focus(folded);
    await device.press("Control+ArrowUp");
    await device.shows([NAME, "folded"]);
    await device.focus(line);
    await compose(device);
    await stage.server.call("POST", `nodes/${line}/move`, { parent_id: folded }, key);
    await device.shows(["folded"]);
    await expect
      .poll(async () => (await stored()).toSorted(), SOON)
      .toEqual([`  ${NAME}${STEPS.at(-1)}`, "  inside", "folded"]);
  });

  test("[W4] what is composed when the page is left is written, in the first line as well", async () => {
    const { device, stored } = await openLine(NAME);
    await compose(device);
    await device.reload();
    await device.shows([`${STEPS.at(-1)}${NAME}`]);
    await device.focus((await device.rows())[0]?.key ?? "");
    await device.press("Control+a", "Control+a", "Control+a", "Backspace");
    await device.shows([]);
    await compose(device);
    await device.reload();
    await device.shows([STEPS.at(-1) ?? ""]);
    await device.reaches("saved");
    expect(await stored()).toEqual([STEPS.at(-1)]);
  });

  test("[W92] what is composed in a line that somebody deletes is told", async () => {
    const { key, line, device } = await openLine(NAME, "other");
    await compose(device);
    await stage.server.call("DELETE", `nodes/${line}`, undefined, key);
    await device.shows(["other"]);
    await device.page
      .getByText(`“${STEPS.at(-1)}” was not written: its line is no longer there.`)
      .first()
      .waitFor();
  });

  test("[W54, W294, W235] the keyboards of phones compose every word: the menus follow it", async () => {
    const { device } = await openLine("a #work #world");
    await device.press("End", "Enter");
    const [, made] = await device.rows();
    if (made === undefined) throw new Error("there is no new line");
    const options = device.page.locator("[role=listbox] [role=option]");
    const labels = () => options.locator("span").allTextContents();
    await device.type("#");
    await expect.poll(labels, SOON).toEqual(["#work", "#world"]);
    await compose(device, ["w", "wo", "wor", "worl"]);
    await expect.poll(labels, SOON).toEqual(["#world"]);
    await options.first().click();
    await device.shows(["a #work #world", "#world "]);
    await device.type("[[");
    await compose(device, ["a", "a "]);
    await expect.poll(labels, SOON).toEqual(["a #work #world"]);
    await options.first().click();
    await device.shows(["a #work #world", "#world a #work #world "]);
    await device.type("/");
    await compose(device, ["q", "qu", "quo"]);
    await expect.poll(labels, SOON).toEqual(["Quote"]);
    // A word that was chosen by the keyboard is as good.
    await commit(device, "quote");
    await device.press("Enter");
    await device.shows(["a #work #world", "#world a #work #world "]);
    expect(await device.row(made.key).getAttribute("data-layout")).toBe("quote-block");
    // What is typed next is behind all that.
    await compose(device, ["e", "en"]);
    await commit(device, "end");
    await device.shows(["a #work #world", "#world a #work #world end"]);
  });

  test("a cancelled composition leaves the text as it was", async () => {
    const { device, stored } = await openLine(NAME);
    await toMiddle(device);
    await compose(device);
    await compose(device, [""]);
    await device.type("!");
    await device.shows(["hello! world"]);
    await expect.poll(stored, SOON).toEqual(["hello! world"]);
  });

  test("[W52] what an input method takes is no key of the search, nor of a list", async () => {
    const { device } = await openLine("hello");
    const { page } = device;
    /** A key as Chrome tells it on a Mac, and as Safari tells the one that ends a composition. */
    const press = async (key: string): Promise<void> =>
      page.evaluate((key) => {
        for (const more of [{ isComposing: true }, { keyCode: 229 }]) {
          const init = { key, bubbles: true, cancelable: true, ...more };
          document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", init));
        }
      }, key);
    await device.press("Control+f");
    const box = page.getByRole("searchbox", { name: "Search" });
    await box.fill("hel");
    for (const key of ["ArrowDown", "Enter", "Escape"]) await press(key);
    expect(await box.inputValue()).toBe("hel");
    expect(await box.evaluate((element) => element === document.activeElement)).toBe(true);
    await device.press("Escape", "Control+k");
    const list = page.getByRole("combobox", { name: "Jump to" });
    const marked = await list.getAttribute("aria-activedescendant");
    for (const key of ["ArrowDown", "Enter"]) await press(key);
    expect(await list.getAttribute("aria-activedescendant")).toBe(marked);
    await device.press("Escape", "Control+Alt+n");
    const capture = page.getByLabel("What is on your mind?");
    await capture.fill("hel");
    await press("Enter");
    expect(await capture.inputValue()).toBe("hel");
  });

  test("Enter that ends a composition makes no new line", async () => {
    const { device } = await openLine(NAME);
    await compose(device);
    const devtools = await device.devtools();
    // As browsers report it: the key belongs to the input method.
    const enter = { key: "Process", code: "Enter", windowsVirtualKeyCode: 229 };
    await devtools.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...enter });
    await commit(device, "日本");
    await devtools.send("Input.dispatchKeyEvent", { type: "keyUp", ...enter });
    await device.shows([`日本${NAME}`]);
  });
});

describe("text that the browser itself changes", () => {
  test("a replacement, as a spell checker makes it", async () => {
    const { device, stored } = await openLine("helo world");
    for (const _ of "helo") await device.press("Shift+ArrowRight");
    await commit(device, "hello");
    await device.shows(["hello world"]);
    await expect.poll(stored, SOON).toEqual(["hello world"]);
  });

  test("undo is the outline's: what another device wrote stays", async () => {
    const { key, line, device, stored } = await openLine("start");
    await device.press("End");
    await device.type(" typed");
    await device.shows(["start typed"]);
    await device.reaches("saved");
    await stage.server.call("POST", `nodes/${line}`, { name: "The start typed" }, key);
    await device.shows(["The start typed"]);
    await device.press("Control+z");
    await device.shows(["The start"]);
    await device.press("Control+Shift+z");
    await device.shows(["The start typed"]);
    await expect.poll(stored, SOON).toEqual(["The start typed"]);
  });
});
