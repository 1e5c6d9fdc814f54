import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Device } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

const PHONE = {
  context: { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true },
} as const;

/** What has the focus of the page: the part of a row, `tree`, or the name of the element. */
function focused({ page }: Device): Promise<string | undefined> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement)) return undefined;
    return element.dataset["part"] ?? element.role ?? element.tagName;
  });
}

test("[W106] Escape out of a search goes back to the line, and brings it in sight", async () => {
  const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
  const { device, lineOf, stored } = await stage.desk(...lines);
  const last = lineOf("line 40");
  await device.page.mouse.move(600, 400);
  await device.page.mouse.wheel(0, 900);
  await device.focus(last);
  await device.press("Home", "ArrowRight", "ArrowRight");
  const before = await device.caret();
  await device.page.getByRole("searchbox").click();
  await device.type("line 3");
  await expect.poll(async () => (await device.rows()).at(-1)?.name, SOON).toBe("line 53");
  await device.press("Escape");
  await expect.poll(() => device.caret(), SOON).toEqual(before);
  await expect.poll(() => device.row(last).isVisible(), SOON).toBe(true);
  await device.type("!");
  await expect.poll(async () => (await stored())[39], SOON).toBe("li!ne 40");
});

test("[W106] Escape in a line that was found ends the search and stays in the line, folded or not", async () => {
  const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
  const { device, lineOf } = await stage.desk(...lines, "folded", "  below");
  const [last, below] = [lineOf("line 50"), lineOf("below")];
  await device.focus(lineOf("line 1"));
  await device.press("Escape");
  await device.type("below OR 50");
  await device.press("Enter", "ArrowRight");
  await device.shows(["line 50", "folded", "  below"]);
  await device.press("Escape");
  const inSight = (key: string) => async () => {
    const box = await device.name(key).boundingBox();
    return [await device.caret(), box !== null && box.y > 50 && box.y + box.height < 720];
  };
  await expect.poll(inSight(last), SOON).toEqual([{ key: last, part: "name", at: 1 }, true]);
  await device.focus(lineOf("folded"));
  await device.press("Control+ArrowUp", "Escape");
  await device.type("below");
  await device.press("Enter", "End", "Escape");
  await expect.poll(inSight(below), SOON).toEqual([{ key: below, part: "name", at: 5 }, true]);
  expect(await device.row(lineOf("folded")).getAttribute("aria-expanded")).toBe("true");
});

describe("a search that is left without a choice", () => {
  /** With several heights. */
  const LINES = Array.from({ length: 60 }, (_, index) =>
    index % 7 === 2 ? `long ${index + 1} ${"and on ".repeat(50)}` : `line ${index + 1}`,
  );

  /** Scrolls so that one line, whose place is answered, is in sight. */
  async function scroll(device: Device, line: string) {
    const { page } = device;
    // On the way the heights of lines become known.
    for (const top of [400, 800, 1200, 900]) {
      await page.evaluate((y) => scrollTo(0, y), top);
      await expect.poll(() => page.evaluate(() => scrollY), SOON).toBe(top);
      await settled(device);
    }
    return () =>
      device
        .row(line)
        .evaluateAll((rows) => rows.map((row) => Math.round(row.getBoundingClientRect().top)));
  }

  /** What scrolls in the next frame is done by then. */
  const settled = ({ page }: Device) =>
    page.evaluate(async () => {
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    });

  test("[W106] it moves nothing when it is opened, and gives back the place", async () => {
    const { device, lineOf } = await stage.desk(...LINES);
    const { page } = device;
    const line = lineOf("line 25");
    const topOf = await scroll(device, line);
    const box = page.getByRole("searchbox");
    await device.focus(line);
    await device.press("ArrowLeft");
    const [caret, tops] = [await device.caret(), await topOf()];
    expect(tops).toEqual([expect.closeTo(400, -3)]);
    const open = {
      key: () => device.press("Control+f"),
      escape: () => device.press("Escape"),
      F6: () => device.press("F6"),
      click: () => box.click(),
    };
    for (const [name, way] of Object.entries(open)) {
      await way();
      await expect.poll(() => focused(device), SOON).toBe("INPUT");
      await settled(device);
      expect(await topOf(), name).toEqual(tops);
      await device.press("Escape");
      await expect.poll(() => device.caret(), SOON).toEqual(caret);
      await settled(device);
      expect(await topOf(), name).toEqual(tops);
    }
    const leave = {
      escape: () => device.press("Escape"),
      "deleted words": () => device.press("Control+a", "Backspace", "Escape"),
    };
    for (const [name, way] of Object.entries(leave)) {
      await device.press("Escape");
      await device.type("line 3");
      await expect.poll(async () => (await device.rows()).length, SOON).toBeLessThan(14);
      await way();
      await expect.poll(() => device.caret(), SOON).toEqual(caret);
      await expect.poll(topOf, SOON).toEqual(tops);
      await settled(device);
      expect(await topOf(), name).toEqual(tops);
    }
  });

  test("[W106] where nothing had the caret the page stays as it is scrolled", async () => {
    const key = await stage.person();
    const keys = await stage.server.plant(LINES, key);
    const device = await stage.device(key);
    const topOf = await scroll(device, keys.get("line 25") ?? "");
    const tops = await topOf();
    await device.press("Control+f");
    await device.type("line 3");
    await expect.poll(async () => (await device.rows()).length, SOON).toBeLessThan(14);
    await device.press("Escape");
    await expect.poll(topOf, SOON).toEqual(tops);
    await settled(device);
    expect(await topOf()).toEqual(tops);
    expect(await focused(device)).toBe("BODY");
  });
});

describe("a caret that the focus has left", () => {
  /** Where the second of two lines is. */
  async function placeOf(device: Device, two: string) {
    const box = await device.name(two).boundingBox();
    if (box === null) throw new Error("the line is not in sight");
    return { left: box.x, top: box.y, bottom: box.y + box.height };
  }

  async function twoLines() {
    const { device, lineOf } = await stage.desk("one", "two");
    const [one, two] = [lineOf("one"), lineOf("two")];
    return { device, page: device.page, one, two, ...(await placeOf(device, two)) };
  }

  test("[W430] a press of the mouse beside the lines leaves it where it is", async () => {
    const { device, page, one, left, top, bottom } = await twoLines();
    await device.focus(one, "Home");
    await device.press("ArrowRight");
    const caret = await device.caret();
    const beside = [
      [left + 100, bottom + 200],
      [left - 60, top + 8],
      [1270, 600],
    ] as const;
    for (const [x, y] of beside) {
      await page.mouse.click(x, y);
      expect(await device.caret()).toEqual(caret);
      expect(await focused(device)).toBe("name");
    }
    await device.press("Shift+End");
    await page.mouse.click(left + 100, bottom + 200);
    await device.type("!");
    await device.shows(["one!", "two"]);
    await page.getByRole("searchbox").click();
    await page.mouse.click(1270, 600);
    await device.type("?");
    await device.shows(["one!?", "two"]);
  });

  test("[W430] a press beside the lines lets go what was selected a moment before", async () => {
    const { device, page, one } = await twoLines();
    await device.focus(one, "Home");
    await device.press("ArrowRight");
    await page.evaluate(() => {
      getSelection()?.modify("extend", "forward", "lineboundary");
      const press = new MouseEvent("mousedown", { bubbles: true, cancelable: true });
      document.body.dispatchEvent(press);
    });
    await device.type("!");
    await device.shows(["one!", "two"]);
  });

  test("[W430] below the lines the mouse puts it into the last one, where there was none", async () => {
    const key = await stage.person();
    const keys = await stage.server.plant(["one", "two"], key);
    const device = await stage.device(key);
    await device.shows(["one", "two"]);
    const { page } = device;
    const { left, top, bottom } = await placeOf(device, keys.get("two") ?? "");
    await page.mouse.click(1270, top + 8);
    expect(await focused(device)).toBe("BODY");
    await page.mouse.click(left + 100, bottom + 200);
    await device.type("!");
    await device.shows(["one", "two!"]);
  });

  test("[W431] a press of the mouse beside selected lines puts it back into the last of them", async () => {
    const { device, page, one, two, left, top, bottom } = await twoLines();
    const selected = async () => (await device.rows()).filter((row) => row.isSelected).length;
    const beside = [
      [left + 100, bottom + 200],
      [1270, top + 8],
    ] as const;
    for (const [x, y] of beside) {
      await device.focus(two);
      await device.press("Shift+ArrowUp", "Shift+ArrowUp");
      await expect.poll(selected, SOON).toBe(2);
      await page.mouse.click(x, y);
      await expect.poll(selected, SOON).toBe(0);
      expect(await device.caret()).toEqual({ key: one, part: "name", at: 3 });
    }
    await device.type("!");
    await device.shows(["one!", "two"]);
  });

  test("[W431] a finger beside selected lines ends that without a caret", async () => {
    const key = await stage.person();
    const one = await stage.server.create("one", undefined, key);
    const device = await stage.device(key, PHONE);
    await device.name(one).tap();
    await device.press("Shift+ArrowUp");
    const selected = async () => (await device.rows()).filter((row) => row.isSelected).length;
    await expect.poll(selected, SOON).toBe(1);
    await device.page.touchscreen.tap(300, 500);
    await expect.poll(selected, SOON).toBe(0);
    expect(await focused(device)).toBe("BODY");
  });

  test("[W430] letters go to where it was, among what others wrote meanwhile, and keys stay keys", async () => {
    const { key, device, lineOf } = await stage.desk("one", "two");
    const { page } = device;
    const one = lineOf("one");
    await device.focus(one);
    const places = page.getByRole("button", { name: "Places" });
    const isOpen = () => places.getAttribute("aria-expanded");
    const wasOpen = await isOpen();
    await places.focus();
    await stage.server.call("POST", `nodes/${one}`, { name: "number one" }, key);
    await device.shows(["number one", "two"]);
    // A space presses the button.
    await device.press(" ", "Control+b");
    await expect.poll(isOpen, SOON).not.toBe(wasOpen);
    await device.type("!");
    await device.shows(["number one!", "two"]);
    await device.press("Shift+ArrowLeft");
    await places.click();
    await device.type("?");
    await device.shows(["number one?!", "two"]);
    await page.getByRole("button", { name: "Menu", exact: true }).click();
    await page.getByRole("menuitem").first().waitFor();
    await device.type("x");
    expect(await device.sketch()).toEqual(["number one?!", "two"]);
  });

  test("[W430] letters go to where it was, when a text has the focus and the page's selection is elsewhere", async () => {
    const { device, lineOf, stored } = await stage.desk("one", "two");
    await device.focus(lineOf("one"));
    // A key that does nothing: the app looks where the caret is.
    await device.press("ArrowLeft", "Shift");
    await device.page.evaluate(() => {
      const elsewhere = document.querySelector(".page-head");
      if (elsewhere !== null) getSelection()?.setBaseAndExtent(elsewhere, 0, elsewhere, 0);
    });
    expect(await focused(device)).toBe("name");
    await device.type("xx");
    await expect.poll(stored, SOON).toEqual(["onxxe", "two"]);
  });
});

describe("a line with the caret that vanishes", () => {
  const FOLD = ["Beta", "  below", "Gamma"];

  test("[W92] when it is folded away the line above has it, and it stays where it is put then", async () => {
    const { device, lineOf, stored } = await stage.desk(...FOLD);
    const beta = lineOf("Beta");
    const fold = async (): Promise<void> => {
      await device.row(beta).hover();
      await device.row(beta).locator("[data-part=fold]").click();
    };
    await device.focus(lineOf("below"));
    await fold();
    await device.shows(["Beta", "Gamma"]);
    await expect.poll(() => device.caret(), SOON).toEqual({ key: beta, part: "name", at: 4 });
    await device.focus(lineOf("Gamma"));
    await device.type("one");
    await fold();
    await device.shows(["Beta", "  below", "Gammaone"]);
    await device.type("two");
    await device.shows(["Beta", "  below", "Gammaonetwo"]);
    await expect.poll(stored, SOON).toEqual(["Beta", "  below", "Gammaonetwo"]);
  });

  test("[W92] when completed lines are hidden the line above has it", async () => {
    const { device, lineOf } = await stage.desk(...FOLD);
    await device.focus(lineOf("below"));
    await device.press("Control+Enter", "Control+Shift+o");
    await device.shows(["Beta", "Gamma"]);
    await expect.poll(() => device.caret(), SOON).toMatchObject({ key: lineOf("Beta") });
    await device.type("!");
    await device.shows(["Beta!", "Gamma"]);
    await device.press("Control+Shift+o");
    await device.shows(["Beta!", "  below", "Gamma"]);
  });

  test("[W92] where no line is left the button for the first one has the focus", async () => {
    const { device, lineOf } = await stage.desk(...FOLD);
    await device.focus(lineOf("Gamma"));
    await device.press("Control+a", "Control+a", "Control+a", "Backspace");
    await device.shows([]);
    await expect.poll(() => focused(device), SOON).toBe("add");
    await device.press("Enter");
    await device.type("first");
    await device.shows(["first"]);
  });

  test("[W48] zooming in with a finger leaves no caret, which would bring up the keyboard", async () => {
    const key = await stage.person();
    const keys = await stage.server.plant(FOLD, key);
    const device = await stage.device(key, PHONE);
    const [beta, gamma] = [keys.get("Beta") ?? "", keys.get("Gamma") ?? ""];
    await device.name(gamma).tap();
    await expect.poll(() => focused(device), SOON).toBe("name");
    await device.row(beta).locator("[data-part=bullet]").tap();
    await device.page.locator("[data-part=title]").waitFor();
    await device.shows(["below"]);
    expect(await focused(device)).toBe("BODY");
    await device.page.goBack();
    await device.name(gamma).tap();
    await expect.poll(() => focused(device), SOON).toBe("name");
    await device.row(gamma).locator("[data-part=bullet]").tap();
    await device.page.locator("[data-part=add]").waitFor();
    await device.shows([]);
    expect(await focused(device)).toBe("BODY");
    await device.page.touchscreen.tap(300, 600);
    await expect.poll(() => focused(device), SOON).toBe("add");
  });

  test("[W48] zooming out takes the caret into sight", async () => {
    const many = Array.from({ length: 60 }, (_, index) => `line ${index}`);
    const { device, lineOf } = await stage.desk("first", ...many, "last");
    const last = lineOf("last");
    await device.focus(lineOf("first"));
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
  test("[W92] the line above has it, and it stays there when the line comes back", async () => {
    const { device: anna, lineOf, beside } = await stage.desk("Alpha", "Beta");
    const [alpha, beta, ben] = [lineOf("Alpha"), lineOf("Beta"), await beside()];
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
    const { key, device: anna, lineOf } = await stage.desk("Alpha", "Beta");
    const [alpha, beta] = [lineOf("Alpha"), lineOf("Beta")];
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
    const { key, device: anna, lineOf } = await stage.desk("Alpha", "Beta");
    const [alpha, beta] = [lineOf("Alpha"), lineOf("Beta")];
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
