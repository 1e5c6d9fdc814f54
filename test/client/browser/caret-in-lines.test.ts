import { expect, test } from "vitest";
import type { Device } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

const CODE = "a\n\n\nb";
const NOTE = "c\n\n\nd";

/** How far the line break behind the caret is from the top of the window, and how high that is. */
async function caretInWindow(device: Device): Promise<readonly [top: number, height: number]> {
  const top = await device.page.evaluate(() => {
    const selection = getSelection();
    const text = selection?.focusNode;
    if (!selection || !(text instanceof Text)) return Number.NaN;
    const range = document.createRange();
    range.setStart(text, selection.focusOffset);
    range.setEnd(text, Math.min(text.length, selection.focusOffset + 1));
    return range.getClientRects()[0]?.top ?? Number.NaN;
  });
  return [top, await device.page.evaluate(() => window.innerHeight)];
}

async function expectInSight(device: Device): Promise<void> {
  await expect
    .poll(async () => {
      const [top, height] = await caretInWindow(device);
      return top > 0 && top < height - 30;
    }, SOON)
    .toBe(true);
}

test("[W95] the arrow keys go through the empty lines of a code and of a note", async () => {
  const key = await stage.person();
  const { server } = stage;
  await server.create("first", undefined, key);
  const code = await server.create(CODE, undefined, key, { layoutMode: "code-block" });
  const noted = await server.create("noted", undefined, key, { note: NOTE });
  const device = await stage.device(key);
  await device.row(noted).locator("[data-part=note]").click();
  await device.press("Control+End");
  const way: string[] = [];
  for (let count = 0; count < 8; count++) {
    await device.press("ArrowUp");
    const { key: row, part, at } = (await device.caret()) ?? { key: "", part: "", at: 0 };
    const text = row === code ? CODE : part === "note" ? NOTE : "noted";
    way.push(`${row === code ? "code" : part} ${text.slice(0, at).split("\n").length}`);
  }
  expect(way).toEqual([
    "note 3",
    "note 2",
    "note 1",
    "name 1",
    "code 4",
    "code 3",
    "code 2",
    "code 1",
  ]);
  await device.press("Home", "ArrowDown", "Shift+ArrowUp");
  expect((await device.rows()).some((row) => row.isSelected)).toBe(false);
  await device.press("Control+End", "Enter", "ArrowDown");
  expect(await device.caret()).toMatchObject({ key: noted, part: "name" });
});

test("[W436] Ctrl+Home and Ctrl+End go to the edge of a text, then to that of the list", async () => {
  const key = await stage.person();
  const { server } = stage;
  const first = await server.create("first", undefined, key);
  const code = await server.create(CODE, undefined, key, { layoutMode: "code-block" });
  for (let count = 0; count < 60; count++) await server.create(`line ${count}`, undefined, key);
  const last = await server.create("last", undefined, key);
  const device = await stage.device(key);
  const reaches = (line: string, at: number) =>
    expect.poll(() => device.caret(), SOON).toEqual({ key: line, part: "name", at });
  await device.focus(code);
  await device.press("ArrowUp", "Control+End");
  await reaches(code, CODE.length);
  await device.press("Control+End");
  await reaches(last, "last".length);
  await expect.poll(() => device.page.evaluate(() => scrollY), SOON).toBeGreaterThan(0);
  await device.press("Control+Home");
  await reaches(first, 0);
  await expect.poll(() => device.page.evaluate(() => scrollY), SOON).toBeLessThan(10);
  await device.press("Shift+ArrowDown", "Control+End");
  await reaches(last, "last".length);
});

test("[W95] the caret is in sight where it is put into a text that is higher than the window", async () => {
  const key = await stage.person();
  const lines = Array.from({ length: 90 }, (_, index) => `line ${index}`).join("\n");
  const code = await stage.server.create(lines, undefined, key, { layoutMode: "code-block" });
  const device = await stage.device(key);
  // The first click only scrolls to the middle.
  await device.focus(code);
  for (let count = 0; count < 25; count++) await device.press("ArrowLeft", "Enter");
  await expectInSight(device);
  await device.page.mouse.move(400, 300);
  await device.page.mouse.wheel(0, 5000);
  await expect.poll(async () => (await caretInWindow(device))[0], SOON).toBeLessThan(0);
  await device.press("Control+Z");
  await expectInSight(device);
});

test("[W96] a line that is written from right to left is walked through in its direction", async () => {
  const { device, lineOf } = await stage.desk("first", "שלום!", "last");
  const [first, hebrew, last] = [lineOf("first"), lineOf("שלום!"), lineOf("last")];
  const lefts = await device.name(hebrew).evaluate((element) => {
    const text = element.firstChild;
    if (!(text instanceof Text)) throw new Error("the line is no text");
    return [0, text.length - 1].map((at) => {
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      return range.getBoundingClientRect().left;
    });
  });
  expect(lefts[1]).toBeLessThan(lefts[0] ?? 0);
  await device.focus(hebrew, "Home");
  await device.press("ArrowLeft");
  expect(await device.caret()).toEqual({ key: hebrew, part: "name", at: 1 });
  await device.press("End", "ArrowLeft");
  expect(await device.caret()).toEqual({ key: last, part: "name", at: 0 });
  await device.press("ArrowLeft", "Home", "ArrowRight");
  expect(await device.caret()).toEqual({ key: first, part: "name", at: "first".length });
});

test("[W50] the mouse that is held at an edge of the window selects what is scrolled there", async () => {
  const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`);
  const { device, lineOf } = await stage.desk(...lines, "last");
  const { mouse } = device.page;
  const box = await device.name(lineOf("line 2")).boundingBox();
  const [x, y] = [(box?.x ?? 0) + 20, (box?.y ?? 0) + 10];
  const bottom = (device.page.viewportSize()?.height ?? 0) - 4;
  await mouse.move(x, y);
  await mouse.down();
  await mouse.move(x, y + 60, { steps: 4 });
  await mouse.move(x, bottom, { steps: 4 });
  const lastSelected = async () =>
    (await device.rows()).filter(({ isSelected }) => isSelected).at(-1)?.name;
  await expect.poll(lastSelected, SOON).toBe("last");
  await mouse.move(x, 4, { steps: 4 });
  await expect.poll(() => device.page.evaluate(() => scrollY), SOON).toBe(0);
  await expect.poll(lastSelected, SOON).toBe("line 2");
  await mouse.up();
  await device.press("Delete");
  await expect.poll(async () => (await device.rows())[0]?.name, SOON).toBe("line 3");
});
