import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Device, DeviceOptions } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

/** What has the focus of the page: the part of a row, `tree`, or the name of the element. */
function focused({ page }: Device): Promise<string | undefined> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement)) return undefined;
    return element.dataset["part"] ?? element.role ?? element.tagName;
  });
}

test("[W106] Escape out of a search goes back to the line, and brings it in sight", async () => {
  const key = await stage.person();
  let last = "";
  for (let index = 1; index <= 60; index++) {
    const line = await stage.server.create(`line ${index}`, undefined, key);
    if (index === 40) last = line;
  }
  const device = await stage.device(key);
  await device.page.mouse.move(600, 400);
  await device.page.mouse.wheel(0, 900);
  await device.focus(last);
  await device.press("Home", "ArrowRight", "ArrowRight");
  const before = await device.caret();
  await device.page.getByRole("searchbox").click();
  await device.type("line 3");
  await expect.poll(async () => (await device.rows()).at(-1)?.name, SOON).toBe("line 53");
  await device.press("Escape", "Escape");
  await expect.poll(() => device.caret(), SOON).toEqual(before);
  await expect.poll(() => device.row(last).isVisible(), SOON).toBe(true);
  await device.type("!");
  await expect.poll(async () => (await stage.server.sketch(key))[39], SOON).toBe("li!ne 40");
});

describe("a line with the caret that vanishes", () => {
  async function openFold(options?: DeviceOptions) {
    const key = await stage.person();
    const { server } = stage;
    const beta = await server.create("Beta", undefined, key);
    const below = await server.create("below", beta, key);
    const gamma = await server.create("Gamma", undefined, key);
    const device = await stage.device(key, options);
    await device.shows(["Beta", "  below", "Gamma"]);
    const fold = async (): Promise<void> => {
      await device.row(beta).hover();
      await device.row(beta).locator("[data-part=fold]").click();
    };
    return { key, device, keys: { beta, below, gamma }, fold };
  }

  test("[W92] when it is folded away the line above has it, and it stays where it is put then", async () => {
    const { key, device, keys, fold } = await openFold();
    await device.focus(keys.below);
    await fold();
    await device.shows(["Beta", "Gamma"]);
    await expect.poll(() => device.caret(), SOON).toEqual({ key: keys.beta, part: "name", at: 4 });
    await device.focus(keys.gamma);
    await device.type("one");
    await fold();
    await device.shows(["Beta", "  below", "Gammaone"]);
    await device.type("two");
    await device.shows(["Beta", "  below", "Gammaonetwo"]);
    await expect
      .poll(() => stage.server.sketch(key), SOON)
      .toEqual(["Beta", "  below", "Gammaonetwo"]);
  });

  test("[W92] when completed lines are hidden the line above has it", async () => {
    const { device, keys } = await openFold();
    await device.focus(keys.below);
    await device.press("Control+Enter", "Control+Shift+o");
    await device.shows(["Beta", "Gamma"]);
    await expect.poll(() => device.caret(), SOON).toMatchObject({ key: keys.beta });
    await device.type("!");
    await device.shows(["Beta!", "Gamma"]);
  });

  test("[W92] where no line is left the button for the first one has the focus", async () => {
    const { device, keys } = await openFold();
    await device.focus(keys.gamma);
    await device.press("Control+a", "Control+a", "Control+a", "Backspace");
    await device.shows([]);
    await expect.poll(() => focused(device), SOON).toBe("add");
    await device.press("Enter");
    await device.type("first");
    await device.shows(["first"]);
  });

  test("[W48] zooming in with a finger leaves no caret, which would bring up the keyboard", async () => {
    const { device, keys } = await openFold({
      context: { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true },
    });
    await device.name(keys.gamma).tap();
    await expect.poll(() => focused(device), SOON).toBe("name");
    await device.row(keys.beta).locator("[data-part=bullet]").tap();
    await device.page.locator("[data-part=title]").waitFor();
    await device.shows(["below"]);
    expect(await focused(device)).toBe("BODY");
  });

  test("[W48] zooming out takes the caret into sight", async () => {
    const { key, device, keys } = await openFold();
    const { server } = stage;
    const many = Array.from({ length: 60 }, (_, index) => `line ${index}`);
    for (const name of many) await server.create(name, undefined, key);
    const last = await server.create("last", undefined, key);
    await device.focus(keys.gamma);
    await device.press("Control+k");
    await device.page.getByLabel("Jump to").last().waitFor();
    await device.type("last");
    await device.page.getByRole("option", { name: /last/ }).first().waitFor();
    await device.press("Enter");
    await device.page.locator("[data-part=title]").waitFor();
    await expect.poll(() => focused(device), SOON).toBe("title");
    await device.press("Alt+ArrowLeft");
    await device.name(last).waitFor();
    const seen = (): Promise<boolean> =>
      device.name(last).evaluate(async (name) => {
        // Two frames: what scrolls in a later one is done by then.
        for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
        const { top, bottom } = name.getBoundingClientRect();
        return name === document.activeElement && top >= 0 && bottom <= innerHeight;
      });
    expect(await seen()).toBe(true);
  });
});

describe("a line with the caret that somebody else takes away", () => {
  async function twoAtLines() {
    const key = await stage.person();
    const alpha = await stage.server.create("Alpha", undefined, key);
    const beta = await stage.server.create("Beta", undefined, key);
    const devices = await Promise.all([stage.device(key), stage.device(key)]);
    for (const device of devices) await device.shows(["Alpha", "Beta"]);
    const [anna, ben] = devices;
    return { key, alpha, beta, anna, ben };
  }

  test("[W92] the line above has it, and it stays there when the line comes back", async () => {
    const { alpha, beta, anna, ben } = await twoAtLines();
    await anna.focus(beta);
    await ben.focus(beta);
    await ben.press("Control+Shift+Backspace");
    await anna.shows(["Alpha"]);
    await expect.poll(() => anna.caret(), SOON).toEqual({ key: alpha, part: "name", at: 5 });
    await anna.page.getByText("The line you were in was deleted.").first().waitFor();
    await anna.type("1");
    await anna.name(alpha).click();
    await anna.press("Home");
    await anna.type("2");
    await ben.press("Control+z");
    await anna.shows(["2Alpha1", "Beta"]);
    await anna.type("3");
    await anna.shows(["23Alpha1", "Beta"]);
  });

  test("[W92] a selection loses what is gone", async () => {
    const { key, alpha, beta, anna } = await twoAtLines();
    await anna.focus(beta);
    await anna.press("Shift+ArrowUp", "Shift+ArrowUp");
    const selected = async (): Promise<readonly string[]> =>
      (await anna.rows()).filter((row) => row.isSelected).map((row) => row.key);
    await expect.poll(selected, SOON).toEqual([alpha, beta]);
    await stage.server.call("DELETE", `nodes/${beta}`, undefined, key);
    await anna.shows(["Alpha"]);
    await expect.poll(selected, SOON).toEqual([alpha]);
    const gamma = await stage.server.create("Gamma", undefined, key);
    await anna.shows(["Alpha", "Gamma"]);
    await stage.server.call("DELETE", `nodes/${alpha}`, undefined, key);
    await anna.shows(["Gamma"]);
    await expect.poll(() => anna.caret(), SOON).toEqual({ key: gamma, part: "name", at: 5 });
  });

  test("[W92] the line that is looked into is left for one that is there", async () => {
    const { key, alpha, beta, anna } = await twoAtLines();
    await anna.focus(beta);
    await anna.press("Alt+ArrowRight");
    await anna.page.locator("[data-part=title]").waitFor();
    await stage.server.call("DELETE", `nodes/${beta}`, undefined, key);
    await anna.shows(["Alpha"]);
    await expect.poll(() => anna.caret(), SOON).toEqual({ key: alpha, part: "name", at: 5 });
  });
});

test("[W94] the caret stays when a backup was put back", async () => {
  const key = await stage.person();
  const { server } = stage;
  const alpha = await server.create("Alpha", undefined, key);
  const device = await stage.device(key);
  await device.shows(["Alpha"]);
  await device.focus(alpha);
  await device.type("1");
  await device.reaches("saved");
  const folder = await mkdtemp(join(tmpdir(), "outline-backup-"));
  try {
    const backup = join(folder, "backup");
    await server.command("backup", backup);
    await server.create("Beta", undefined, key);
    await device.shows(["Alpha1", "Beta"]);
    await device.type("2");
    await device.reaches("saved");
    await server.command("restore", backup);
  } finally {
    await rm(folder, { recursive: true });
  }
  // The device brings back what the server had written itself, too.
  await device.shows(["Alpha12", "Beta"]);
  await device.reaches("saved");
  await expect.poll(() => device.caret(), SOON).toEqual({ key: alpha, part: "name", at: 7 });
  await device.type("3");
  await expect.poll(() => server.sketch(key), SOON).toEqual(["Alpha123", "Beta"]);
});
