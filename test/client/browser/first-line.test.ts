import { expect, test } from "vitest";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

/** A device on which every line was deleted. */
async function emptiedDevice() {
  const { device, lineOf, stored } = await stage.desk("demo");
  await device.focus(lineOf("demo"));
  await device.press("Control+a", "Control+a", "Control+a", "Backspace");
  await device.shows([]);
  return { device, stored };
}

test("[W102] what is typed where there are no lines is a line, spaces and all", async () => {
  const { device, stored } = await emptiedDevice();
  await device.type("my first thought");
  await device.shows(["my first thought"]);
  await device.press("Enter");
  await device.type("- second");
  await device.shows(["my first thought", "- second"]);
  await expect.poll(stored, SOON).toEqual(["my first thought", "- second"]);
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

test("[W102] undo takes away the line with what was written into it, and redo brings back both", async () => {
  const { device, stored } = await emptiedDevice();
  const devtools = await device.devtools();
  const ways = {
    // At once, as a pause between letters makes a step.
    typed: () =>
      device.page.evaluate(() => {
        for (const data of "quick") {
          const init = { inputType: "insertText", data, bubbles: true, cancelable: true };
          document.activeElement?.dispatchEvent(new InputEvent("beforeinput", init));
        }
      }),
    pasted: () => device.paste({ "text/plain": "quick" }),
    composed: () => devtools.send("Input.insertText", { text: "quick" }),
  };
  for (const way of Object.values(ways)) {
    await way();
    await device.shows(["quick"]);
    await device.press("Control+z");
    await device.shows([]);
    await device.press("Control+y");
    await device.shows(["quick"]);
    await expect.poll(stored, SOON).toEqual(["quick"]);
    await device.press("Control+z");
    await device.shows([]);
  }
  await device.type("on");
  await device.shows(["on"]);
});

test("[W102, W430] the empty line loses no letter when it was left", async () => {
  const { device } = await emptiedDevice();
  const { page } = device;
  const empty = async () => {
    await device.press("Control+z");
    await device.shows([]);
  };
  await page.mouse.click(700, 500);
  await device.type("blank");
  await device.shows(["blank"]);
  await empty();
  await page.getByRole("button", { name: "Places" }).click();
  await device.type("places");
  await device.shows(["places"]);
  await empty();
  await page.mouse.click(700, 500);
  await device.paste({ "text/plain": "paste" });
  await device.shows(["paste"]);
});

test("[W102] looking makes no line, Enter does, and undo brings back what was deleted", async () => {
  const { device, stored } = await emptiedDevice();
  await device.press("Control+z");
  await device.shows(["demo"]);
  await device.press("Control+y");
  await device.shows([]);
  await expect.poll(stored, SOON).toEqual([]);
  await device.page.getByRole("textbox", { name: "First line" }).click();
  await device.press("Enter");
  await device.shows([""]);
});

test("[W54, W102, W294] a mark that is typed where there are no lines opens its menu", async () => {
  const { device } = await emptiedDevice();
  await device.type("/head");
  await device.page.getByRole("option", { name: "Heading 1" }).waitFor();
  await device.press("Enter");
  await device.shows([""]);
  const [row] = await device.rows();
  expect(await device.row(row?.key ?? "").getAttribute("data-layout")).toBe("h1");
});

test("[W212] a new device says that the outline is on its way, until it is there", async () => {
  const key = await stage.person();
  await stage.server.create("here", undefined, key);
  const device = await stage.stranger({
    key,
    beforeLoad: () => {
      const page = window as unknown as { letThrough(): void; WebSocket: typeof WebSocket };
      const Real = page.WebSocket;
      let isOpen = false;
      page.letThrough = () => {
        isOpen = true;
        for (const type of ["offline", "online"]) window.dispatchEvent(new Event(type));
      };
      page.WebSocket = class extends Real {
        constructor(url: string | URL, protocols?: string | string[]) {
          super(isOpen ? url : `ws://${location.host}/nowhere`, protocols);
        }
      };
    },
  });
  const words = device.page.locator("[data-part=awaited]");
  await words.waitFor();
  // On a slow network so is what helps with writing.
  let letCome = (): void => undefined;
  const hasCome = new Promise<void>((resolve) => (letCome = resolve));
  await device.page.route(/assets\/late-/, async (route) => {
    await hasCome;
    await route.continue();
  });
  await device.page.reload({ waitUntil: "commit" });
  await words.waitFor();
  letCome();
  await device.page.locator(".outliner[data-complete=true]").waitFor();
  await device.type("written meanwhile");
  await device.shows(["written meanwhile"]);
  await words.waitFor();
  await device.page.evaluate(() => (window as unknown as { letThrough(): void }).letThrough());
  await device.shows(["here", "written meanwhile"]);
  await words.waitFor({ state: "detached" });
  await device.network.refuse();
  await device.type("!");
  await device.reaches("local");
  expect(await words.count()).toBe(0);
});
