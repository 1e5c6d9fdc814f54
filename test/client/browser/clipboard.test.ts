import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { lastOutlineOf, markdownOfTrace } from "../../bench/trace-outline.ts";
import type { Device } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

const TRACE = new URL("../../fixtures/traces/awesome.jsonl.gz", import.meta.url);

/** The part of the app that understands what is pasted. */
const PASTE_READER = /\/reader-[^/]*\.js$/;

/** Runs a command by its name, as a person who does not know its key. */
async function runCommand({ page }: Device, name: RegExp): Promise<void> {
  await page.keyboard.press("Control+;");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox").fill(name.source);
  await dialog.getByRole("option", { name }).first().click();
}

async function importFile(device: Device, name: string, content: string): Promise<void> {
  await runCommand(device, /Import/);
  const dialog = device.page.getByRole("dialog");
  const file = { name, mimeType: "text/plain", buffer: Buffer.from(content) };
  await dialog.getByLabel("File to import").setInputFiles(file);
  await dialog.getByRole("button", { name: /^Import \d/ }).click();
  await dialog.waitFor({ state: "detached" });
}

async function exportFile(device: Device, format: RegExp): Promise<string> {
  await runCommand(device, /Export/);
  const dialog = device.page.getByRole("dialog");
  await dialog.getByRole("radio", { name: format }).check({ force: true });
  const [download] = await Promise.all([
    device.page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Download" }).click(),
  ]);
  const text = await readFile(await download.path(), "utf8");
  await device.press("Escape");
  await dialog.waitFor({ state: "detached" });
  return text;
}

/** With the caret in the only line, which is empty. */
async function emptyLine() {
  const desk = await stage.desk("");
  await desk.device.focus(desk.lineOf(""));
  return desk;
}

async function copyAll(device: Device): Promise<Readonly<Record<string, string>>> {
  await device.press("Control+a", "Control+a", "Control+a");
  return device.copy();
}

/** HTML says nothing by the number or the kind of spaces; those in front are the depth. */
function withoutSpaces(line: string): string {
  const text = line.trimStart();
  return " ".repeat(line.length - text.length) + text.replaceAll(/&nbsp;|\s/g, "");
}

const WITHOUT_EMPTY = (sketch: readonly string[]) => sketch.filter((line) => line !== "");

/** The first sections of a list that people keep. */
const LIST = markdownOfTrace(lastOutlineOf(TRACE).slice(0, 3));
const NODES = 90;

describe("a real outline, on its way in and out", () => {
  test("by markdown, OPML, our own format and the clipboard: all nodes come back as they were", async () => {
    const first = await emptyLine();
    const { device } = first;
    await importFile(device, "awesome.md", LIST);
    await device.reaches("saved");
    const original = WITHOUT_EMPTY(await first.stored());
    expect(original).toHaveLength(NODES);
    const files: { readonly name: string; readonly text: string }[] = [];
    for (const [format, name] of [
      [/^OPML/, "outline.opml"],
      [/^JSON/, "outline.json"],
      [/^Markdown/, "outline.md"],
    ] as const) {
      files.push({ name, text: await exportFile(device, format) });
    }
    await device.page.locator("[role=treeitem] [data-part=name]").last().click();
    const copied = await copyAll(device);
    expect(Object.keys(copied)).toEqual(expect.arrayContaining(["text/plain", "text/html"]));

    for (const { name, text } of files) {
      const next = await emptyLine();
      await importFile(device, name, text);
      await device.reaches("saved");
      expect(WITHOUT_EMPTY(await next.stored()), name).toEqual(original);
    }
    const pasted = async (taken: Readonly<Record<string, string>>) => {
      const { stored } = await emptyLine();
      await device.paste(taken);
      const count = async () => WITHOUT_EMPTY(await stored()).length;
      await expect.poll(count, SOON).toBe(original.length);
      return WITHOUT_EMPTY(await stored());
    };
    expect(await pasted(copied)).toEqual(original);
    const html = { "text/plain": "not this", "text/html": copied["text/html"] ?? "" };
    expect((await pasted(html)).map(withoutSpaces)).toEqual(original.map(withoutSpaces));
  });
});

describe("pasting by hand", () => {
  test("indented text keeps its hierarchy and every character", async () => {
    const { device, stored } = await emptyLine();
    const text = ["one", "  two **bold** <b>&amp;", "    three", "four"];
    await device.paste({ "text/plain": text.join("\n") });
    await device.shows(text);
    await device.press("Control+z");
    await device.shows([""]);
    await expect.poll(stored, SOON).toEqual([""]);
  });

  test("[W59] styles of a page are read, and refused by no policy", async () => {
    const { device, stored } = await emptyLine();
    const html =
      "<style>p{color:red}</style><p style=\"margin:0\"><span style='font-weight:700'>bold</span>" +
      ' and <span class="x" style="font-style:italic">slanted style = "none"</span></p>';
    await device.paste({ "text/plain": "not this", "text/html": html });
    await expect.poll(stored, SOON).toEqual(['<b>bold</b> and <i>slanted style = "none"</i>']);
  });

  /** With the caret behind "a"; what understands pastes is loaded when it is released. */
  async function openWithoutReader(): Promise<{ device: Device; release: () => void }> {
    const key = await stage.person();
    const line = await stage.server.create("a", undefined, key);
    const device = await stage.stranger();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await device.page.route(PASTE_READER, async (route) => {
      await held;
      await route.continue();
    });
    await device.signIn(key);
    await device.focus(line);
    return { device, release };
  }

  test("[W91] what is slow to be understood goes to where the caret was, and moves no other", async () => {
    const { device, release } = await openWithoutReader();
    await device.paste({ "text/plain": " pasted" });
    await device.type(" tail");
    await device.press("Enter");
    await device.type("next");
    await device.shows(["a tail", "next"]);
    release();
    await device.shows(["a pasted tail", "next"]);
    expect((await device.caret())?.at).toBe("next".length);
    await device.paste({ "text/plain": " and more" });
    await device.shows(["a pasted tail", "next and more"]);
  });

  test("[W91] what is pasted twice before it is understood comes in this order", async () => {
    const { device, release } = await openWithoutReader();
    await device.paste({ "text/plain": " one" });
    await device.paste({ "text/plain": " two" });
    await device.paste({ "text/plain": "- three\n- four" });
    await device.paste({ "text/plain": "- five\n- six" });
    release();
    await device.shows(["a one two", "three", "four", "five", "six"]);
    expect((await device.caret())?.at).toBe("six".length);
  });

  test("[W91] what can't be understood is pasted as plain text, and that is said", async () => {
    const key = await stage.person();
    const line = await stage.server.create("a", undefined, key);
    const device = await stage.stranger();
    await device.page.route(PASTE_READER, (route) => route.abort());
    await device.signIn(key);
    await device.focus(line);
    await device.paste({ "text/plain": "- one\n- two", "text/html": "<ul><li>one<li>two</ul>" });
    await device.shows(["a", "- one", "- two"]);
    await device.page
      .getByText(/^Pasted as plain text/)
      .first()
      .waitFor();
  });

  test("[W47] a cut is a step of its own, whatever was typed just before", async () => {
    const { device } = await emptyLine();
    await device.type("one two");
    await device.press("Control+Shift+ArrowLeft");
    await device.copy("cut");
    await device.shows(["one "]);
    await device.press("Control+Z");
    await device.shows(["one two"]);
  });

  test("cut and pasted elsewhere: the same lines, once", async () => {
    const { device, lineOf } = await stage.desk("a", "  a1", "b");
    await device.focus(lineOf("a"));
    await device.press("Shift+ArrowUp");
    const cut = await device.copy("cut");
    await device.shows(["b"]);
    await device.focus(lineOf("b"));
    await device.press("Enter");
    await device.paste(cut);
    await expect
      .poll(async () => WITHOUT_EMPTY(await device.sketch()), SOON)
      .toEqual(["b", "a", "  a1"]);
  });
});

test("[W101] selected lines are copied, cut and pasted where the browser asks the body, as Firefox does", async () => {
  const { device, lineOf } = await stage.desk("one", "two");
  await device.focus(lineOf("one"));
  await device.press("Shift+ArrowDown");
  const copied = await device.copy("copy", "body");
  expect(copied["text/plain"]).toContain("one");
  const cut = await device.copy("cut", "body");
  expect(cut).toEqual(copied);
  await device.shows(["two"]);
  await device.press("Shift+ArrowDown");
  await device.paste(cut, "body");
  await device.shows(["two", "one"]);
  // What is written elsewhere on the page is not the outline's.
  await device.page.getByRole("searchbox").focus();
  expect(await device.copy("copy", "body")).toEqual({});
});

test("[W13] text from elsewhere goes where it is dropped, and a text of a line is not dragged out", async () => {
  const { device, lineOf } = await stage.desk("alpha beta");
  const { page } = device;
  const name = await device.name(lineOf("alpha beta")).boundingBox();
  const search = page.getByRole("searchbox", { name: "Search" });
  await search.fill("alpha");
  await search.press("Control+a");
  const box = await search.boundingBox();
  if (name === null || box === null) throw new Error("something is not in sight");
  const [x, y] = [name.x + 1, name.y + name.height / 2];
  await page.mouse.move(box.x + 20, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 20, y, { steps: 6 });
  await page.mouse.move(x, y, { steps: 4 });
  await page.mouse.up();
  await device.shows(["alphaalpha beta"]);
  await device.press("Home", "Shift+End");
  await page.mouse.move(x + 20, y);
  await page.mouse.down();
  await page.mouse.move(box.x + 40, box.y + box.height / 2, { steps: 6 });
  await page.mouse.up();
  await device.shows(["alphaalpha beta"]);
  expect(await search.inputValue()).toBe("");
});
