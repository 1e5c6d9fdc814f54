import axe from "axe-core";
import { describe, expect, test } from "vitest";
import type { Device } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

/** What axe finds, as `rule: elements`. */
async function violations({ page }: Device): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    // The script that was run above.
    const { axe: runner } = globalThis as unknown as { axe: typeof axe };
    // What is still fading in has less contrast than it will have.
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
    // It wants every text within an element in its name; a line is called by its own alone.
    const rules = { "label-content-name-mismatch": { enabled: false } };
    const { violations: found } = await runner.run({ rules });
    return found.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
    );
  });
}

/** Bullets, checkboxes and folds that a finger hits in less than 44 px, as a row and a column of points. */
async function smallMarks({ page }: Device): Promise<readonly string[]> {
  return page.evaluate(() => {
    const small: string[] = [];
    for (const mark of document.querySelectorAll(".row [data-part]:is(a, button)")) {
      const { left, top, width, height } = mark.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      const isHit = (dx: number, dy: number): boolean =>
        document.elementFromPoint(x + dx, y + dy)?.closest("a, button") === mark;
      const around = Array.from({ length: 120 }, (_, index) => index - 60);
      const across = around.filter((dx) => isHit(dx, 0)).length;
      const down = around.filter((dy) => isHit(0, dy)).length;
      // What lies between two points is not counted. Lines stand closer than a finger is wide.
      if (across < 43 || down < 35) small.push(`${mark.className} ${across}×${down}`);
    }
    return small;
  });
}

const LINES = ["a **bold** #tag", "  to do", "  a2", "b [link](https://example.com)"];

/** With a note, a checkbox and what is done. */
async function openOutline() {
  const { key, device, lineOf } = await stage.desk(...LINES);
  const [a = "", a1 = "", a2 = "", b = ""] = LINES.map((line) => lineOf(line.trimStart()));
  await stage.server.call("POST", `nodes/${a}`, { note: "a note" }, key);
  await stage.server.call("POST", `nodes/${a1}`, { layoutMode: "todo" }, key);
  await stage.server.call("POST", `nodes/${a2}/complete`, undefined, key);
  await expect.poll(async () => (await device.rows())[2]?.isCompleted, SOON).toBe(true);
  await device.reaches("saved");
  return { device, keys: { a, a1, a2, b } };
}

describe("axe finds nothing to complain about", () => {
  test("on the sign-in page", async () => {
    const device = await stage.stranger();
    await device.page.getByLabel("Your key").waitFor();
    expect(await violations(device)).toEqual([]);
  });

  test.each(["light", "dark"] as const)(
    "in the outline, with a search and a selection: %s",
    async (colorScheme) => {
      const { device, keys } = await openOutline();
      await device.page.emulateMedia({ colorScheme });
      expect(await violations(device)).toEqual([]);
      await device.focus(keys.a);
      await device.press("Shift+ArrowDown");
      expect(await violations(device)).toEqual([]);
      await device.press("Escape", "Alt+ArrowRight");
      expect(await violations(device)).toEqual([]);
      await device.page.getByLabel("Search", { exact: true }).fill("is:todo");
      expect(await violations(device)).toEqual([]);
      await device.page.emulateMedia({ colorScheme: null });
    },
  );

  test("in the dialogs", async () => {
    const { device, keys } = await openOutline();
    for (const shortcut of [
      "Control+k",
      "Control+Shift+m",
      "Control+;",
      "Control+/",
      "Control+Alt+n",
    ]) {
      await device.focus(keys.a);
      await device.press(shortcut);
      const dialog = device.page.getByRole("dialog");
      await dialog.waitFor();
      expect([shortcut, await violations(device)]).toEqual([shortcut, []]);
      await device.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
    for (const command of ["Settings", "Trash", "Import", "Export"]) {
      await device.press("Control+;");
      await device.page.getByRole("combobox").fill(command);
      await device.page.getByRole("option", { name: command }).first().click();
      await device.page.getByRole("dialog", { name: command }).waitFor();
      expect([command, await violations(device)]).toEqual([command, []]);
      await device.press("Escape");
      await device.page.getByRole("dialog").waitFor({ state: "detached" });
    }
  });

  test("[W93] on a phone, where a finger needs 44 px", async () => {
    const key = await stage.person();
    const { server } = stage;
    const a = await server.create("a **bold** #tag", undefined, key, { note: "a note" });
    await server.create("to do", a, key, { layoutMode: "todo" });
    await server.create("b", undefined, key, { completed: true });
    const device = await stage.device(key, {
      context: { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true },
    });
    await device.name(a).tap();
    await device.page.getByRole("toolbar", { name: "Editing" }).waitFor();
    expect(await violations(device)).toEqual([]);
    // Whatever a finger is to hit is large enough.
    const small = await device.page
      .getByRole("toolbar", { name: "Editing" })
      .evaluate((bar) =>
        [...bar.querySelectorAll("button")]
          .filter((button) => button.offsetWidth < 44 || button.offsetHeight < 44)
          .map((button) => button.ariaLabel ?? button.textContent),
      );
    expect(small).toEqual([]);
    expect(await smallMarks(device)).toEqual([]);
  });
});

describe("what a screen reader is told", () => {
  test("the tree, its rows, and the parts of a row", async () => {
    const { device, keys } = await openOutline();
    const { page } = device;
    const tree = page.getByRole("tree", { name: "Outline" });
    expect(await tree.getAttribute("aria-multiselectable")).toBe("true");
    const described = await tree.evaluate((element) =>
      [...element.querySelectorAll("[role=treeitem]")].map((row) =>
        ["level", "expanded", "setsize", "posinset", "selected"].map((name) =>
          row.getAttribute(`aria-${name}`),
        ),
      ),
    );
    expect(described).toEqual([
      ["1", "true", "2", "1", "false"],
      ["2", null, "2", "1", "false"],
      ["2", null, "2", "2", "false"],
      ["1", null, "2", "2", "false"],
    ]);
    const row = device.row(keys.a);
    expect(await row.getByRole("textbox").count()).toBe(2);
    expect(await row.locator("[data-part=fold]").getAttribute("aria-label")).toBe("Collapse");
    expect(await row.locator("[data-part=bullet]").getAttribute("href")).toBe(`#/${keys.a}`);
    const check = device.row(keys.a1).locator("[data-part=check]");
    expect(await check.getAttribute("role")).toBe("checkbox");
    expect(await check.getAttribute("aria-checked")).toBe("false");
    for (const textbox of await tree.getByRole("textbox").all()) {
      expect(
        await textbox.evaluate(
          (element) => element.ariaLabel ?? element.ariaLabelledByElements?.[0]?.textContent,
        ),
      ).toMatch(/\S/);
    }
    // A contenteditable in another confuses browsers and readers alike.
    expect(await page.locator("[contenteditable] [contenteditable]").count()).toBe(0);

    await device.row(keys.a).locator("[data-part=fold]").click();
    await device.shows(["a bold #tag", "b link"]);
    expect(await device.row(keys.a).getAttribute("aria-expanded")).toBe("false");
    expect(await device.row(keys.a).locator("[data-part=fold]").getAttribute("aria-label")).toBe(
      "Expand",
    );
  });

  test("[W200] no text is translated", async () => {
    const { device } = await openOutline();
    const texts = device.page.locator("[role=textbox]");
    const translated = await texts.evaluateAll((all) =>
      all.map((each) => each instanceof HTMLElement && each.translate),
    );
    expect(translated).toEqual([false, false, false, false, false]);
  });

  test("[W202] a line is called by its text, and its box by the same", async () => {
    const { device, keys } = await openOutline();
    const devtools = await device.devtools();
    const { nodes } = await devtools.send("Accessibility.getFullAXTree");
    const named = (role: string) =>
      nodes
        .filter((node) => !node.ignored && node.role?.value === role)
        .map((node) => String(node.name?.value));
    expect(named("treeitem")).toEqual(["a bold #tag a note", "to do", "a2", "b link"]);
    expect(named("checkbox")).toEqual(["to do"]);
    await device.focus(keys.a1);
    await device.type(" more");
    await expect
      .poll(async () => device.page.getByRole("treeitem", { name: "to do more" }).count(), SOON)
      .toBe(1);
  });

  test("[W202] a line without text is not called by its buttons", async () => {
    const { device, keys } = await openOutline();
    await device.focus(keys.b);
    await device.press("Enter");
    await device.shows(["a bold #tag", "  to do", "  a2", "b link", ""]);
    const devtools = await device.devtools();
    const { nodes } = await devtools.send("Accessibility.getFullAXTree");
    const rows = nodes.filter((node) => !node.ignored && node.role?.value === "treeitem");
    expect(rows.at(-1)?.name?.value).toBe("Empty line");
    await device.type("text");
    await device.page.getByRole("treeitem", { name: "text", exact: true }).waitFor();
  });

  test("[W201] trouble is said, and its end", async () => {
    const { device, keys } = await openOutline();
    const news = device.page.locator("[data-part=status-news]");
    expect(await device.page.locator("[data-part=status]").getAttribute("role")).toBe(null);
    await device.focus(keys.b);
    await device.network.refuse();
    await device.type("!");
    await expect.poll(() => news.textContent(), SOON).toMatch(/not sent/);
    await device.comeBack();
    await expect.poll(() => news.textContent(), SOON).toBe("Saved");
  });

  test("what happened is said in a live region", async () => {
    const { device, keys } = await openOutline();
    const announcer = device.page.locator("[data-part=announcer]");
    expect(await announcer.getAttribute("aria-live")).toMatch(/polite|assertive/);
    await device.focus(keys.a2);
    await device.press("Control+Enter");
    await expect.poll(() => announcer.textContent(), SOON).toMatch(/Reopened/);
    await device.press("Control+Enter");
    await expect.poll(() => announcer.textContent(), SOON).toMatch(/Completed/);
  });

  test("levels count from what is zoomed into, and the way back is a list of links", async () => {
    const { device, keys } = await openOutline();
    await device.focus(keys.a);
    await device.press("Alt+ArrowRight");
    await device.shows(["to do", "a2"]);
    expect(new URL(device.page.url()).hash).toBe(`#/${keys.a}`);
    expect((await device.rows()).map(({ level }) => level)).toEqual([1, 1]);
    const crumbs = device.page.getByRole("navigation", { name: "Breadcrumbs" });
    expect(await crumbs.getByRole("link").count()).toBeGreaterThan(0);
    await device.page.goBack();
    await expect.poll(async () => (await device.rows()).length, SOON).toBe(4);
    await device.page.goForward();
    await device.shows(["to do", "a2"]);
  });
});

test("by keyboard alone: sign in, go to the outline, write, look into a line, and leave", async () => {
  const key = await stage.person();
  await stage.server.create("first", undefined, key);
  const device = await stage.stranger();
  await device.page.getByLabel("Your key").waitFor();
  // The field has the focus already.
  await device.type(key);
  await device.press("Enter");
  await device.ready();
  await device.shows(["first"]);

  // From the top of the page to the outline.
  const isInTree = () =>
    device.page.evaluate(() => document.activeElement?.closest("[role=tree]") !== null);
  for (let tabs = 0; tabs < 40 && !(await isInTree()); tabs++) await device.press("Tab");
  expect(await isInTree()).toBe(true);

  await device.press("End", "Enter");
  await device.type("second");
  await device.press("Tab");
  await device.shows(["first", "  second"]);
  await device.press("Alt+ArrowRight");
  await device.shows([]);
  await device.press("Control+'");
  await device.shows(["first", "  second"]);
  // Tab indents, so there is another way out of the outline.
  expect(await isInTree()).toBe(true);
  await device.press("Escape");
  await expect.poll(isInTree, SOON).toBe(false);
});
