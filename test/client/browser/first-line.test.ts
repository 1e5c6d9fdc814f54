import { expect, test } from "vitest";
import type { Device } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

/** A device of a new person who has deleted every line. */
async function emptiedDevice(): Promise<{ key: string; device: Device }> {
  const key = await stage.person();
  await stage.server.create("demo", undefined, key);
  const device = await stage.device(key);
  await device.shows(["demo"]);
  await device.focus(await device.keyOf("demo"));
  await device.press("Control+a", "Control+a", "Control+a", "Backspace");
  await device.shows([]);
  return { key, device };
}

test("[W102] what is typed where there are no lines is a line, spaces and all", async () => {
  const { key, device } = await emptiedDevice();
  await device.type("my first thought");
  await device.shows(["my first thought"]);
  await device.press("Enter");
  await device.type("- second");
  await device.shows(["my first thought", "- second"]);
  await expect.poll(() => stage.server.sketch(key), SOON).toEqual(["my first thought", "- second"]);
});

test("[W102] what is pasted where there are no lines keeps its hierarchy", async () => {
  const { device } = await emptiedDevice();
  await device.paste({ "text/plain": "one\n  two\nthree" });
  await device.shows(["one", "  two", "three"]);
});

test("[W102] what is composed becomes a line once it is a word", async () => {
  const { device } = await emptiedDevice();
  const devtools = await device.devtools();
  await devtools.send("Input.imeSetComposition", {
    text: "に",
    selectionStart: 1,
    selectionEnd: 1,
  });
  expect(await device.sketch()).toEqual([]);
  await devtools.send("Input.insertText", { text: "日本" });
  await device.shows(["日本"]);
  await device.type("go");
  await device.shows(["日本go"]);
});

test("[W102] looking makes no line, Enter does, and undo brings back what was deleted", async () => {
  const { key, device } = await emptiedDevice();
  await device.press("Control+z");
  await device.shows(["demo"]);
  await device.press("Control+y");
  await device.shows([]);
  await expect.poll(() => stage.server.sketch(key), SOON).toEqual([]);
  await device.page.getByRole("textbox", { name: "First line" }).click();
  await device.press("Enter");
  await device.shows([""]);
});
