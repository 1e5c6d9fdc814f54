import type { ViewportSize } from "playwright-core";
import { expect, test } from "vitest";
import type { Device } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

/** A device with an outline of these lines, indented by two spaces. */
async function planted(lines: readonly string[], viewport?: ViewportSize) {
  const { key, device, lineOf } = await stage.desk("");
  if (viewport !== undefined) await device.page.setViewportSize(viewport);
  await device.focus(lineOf(""));
  await device.paste({ "text/plain": lines.join("\n") });
  await expect
    .poll(async () => (await stage.server.everything(key)).length, SOON)
    .toBe(lines.length);
  await device.page.evaluate(() => scrollTo(0, 0));
  return device;
}

/** A line at each depth: `d0` with `d1` below it, and so on. */
const deep = (depth: number): readonly string[] =>
  Array.from({ length: depth }, (_, level) => `${"  ".repeat(level)}d${level}`);

test("[W207] a long path shows its beginning and its end, and the rest when asked", async () => {
  const device = await planted(deep(30), { width: 1280, height: 1600 });
  await device
    .row(await device.keyOf("d29"))
    .locator("[data-part=bullet]")
    .click();
  const crumbs = device.page.getByRole("navigation", { name: "Breadcrumbs" });
  await expect
    .poll(() => crumbs.getByRole("link").allTextContents(), SOON)
    .toEqual(["Home", "d0", "d26", "d27", "d28"]);
  await crumbs.getByRole("button", { name: "Show 25 more" }).click();
  await expect.poll(() => crumbs.getByRole("link").count(), SOON).toBe(30);
});

test("[W208] the palette has no keys of writing, and jump-to has somewhere to go", async () => {
  const key = await stage.person();
  await stage.server.create("one", undefined, key);
  const two = await stage.server.create("two", undefined, key);
  const device = await stage.device(key);
  await device.focus(two);
  await device.press("Control+;");
  const { page } = device;
  await page.getByRole("combobox").waitFor();
  const titles = () => page.locator(".finder-title").allTextContents();
  await expect.poll(async () => (await titles()).length, SOON).toBeGreaterThan(20);
  const offered = await titles();
  expect(offered.filter((title) => /^(New line|Join with|Select the line)/.test(title))).toEqual(
    [],
  );
  expect(offered).toContain("Indent");
  await device.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await device.press("Control+k");
  await page.getByRole("combobox").waitFor();
  await expect.poll(titles, SOON).toEqual(["Home", "one", "two"]);
});

test("[W209] undo says aloud that there is nothing that it could take back", async () => {
  const { device, lineOf } = await stage.desk("one");
  const one = lineOf("one");
  await device.focus(one);
  await device.type("!");
  await device.reaches("saved");
  await device.reload();
  await device.focus(one);
  await device.press("Control+z");
  const notice = device.page.locator("[data-part=notice]");
  await expect
    .poll(() => notice.allTextContents(), SOON)
    .toEqual([expect.stringMatching(/Nothing to undo: only what was done since/)]);
  await device.shows(["one!"]);
  // A menu that is worked with is above it.
  await device.press("Enter");
  await device.type("/");
  const menu = device.page.getByRole("listbox", { name: "Commands" });
  await menu.waitFor();
  const levels = [menu, device.page.locator(".notices")].map((each) =>
    each.evaluate((element) => Number(getComputedStyle(element).zIndex)),
  );
  const [above = 0, below = 0] = await Promise.all(levels);
  expect(above).toBeGreaterThan(below);
});

test("[W212] who is new sees no outline before the sign-in", async () => {
  const device = await stage.stranger({
    beforeLoad: () => {
      new MutationObserver(() => {
        if (document.querySelector(".shell") !== null)
          document.documentElement.dataset["shell"] = "";
      }).observe(document, { childList: true, subtree: true });
    },
  });
  await device.page.getByLabel("Your key").waitFor();
  expect(await device.page.evaluate(() => "shell" in document.documentElement.dataset)).toBe(false);
});

/** Where the bullet and the text of each row are, in pixels. */
function edgesOf({ page }: Device) {
  return page.locator("[role=treeitem]").evaluateAll((rows) =>
    rows
      .map((row) => {
        const name = row.querySelector(".text-name");
        const bullet = row.querySelector(".bullet");
        const list = row.parentElement;
        if (name === null || bullet === null || list === null) throw new Error("no row");
        const text = name.getBoundingClientRect();
        return {
          name: name.textContent,
          level: Number(row.getAttribute("aria-level")),
          bullet: bullet.getBoundingClientRect().left - list.getBoundingClientRect().left,
          width: text.width,
          isWithin: text.right <= document.documentElement.clientWidth + 1,
          guides: getComputedStyle(row, "::before").width,
        };
      })
      .toSorted((a, b) => a.level - b.level),
  );
}

test.each([
  ["a wide window", { width: 1280, height: 1600 }, 12],
  ["a phone", { width: 390, height: 1600 }, 6],
] as const)(
  "[W214] lines of any depth keep room for their text in %s",
  async (_, viewport, whole) => {
    const device = await planted(deep(40), viewport);
    await expect.poll(async () => (await device.rows()).length, SOON).toBe(40);
    const edges = await edgesOf(device);
    expect(edges.every(({ isWithin, width }) => isWithin && width > 140)).toBe(true);
    const steps = edges.slice(1).map(({ bullet }, index) => bullet - (edges[index]?.bullet ?? 0));
    expect(new Set(steps.slice(0, whole).map(Math.round)).size).toBe(1);
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(0);
    expect(steps[whole]).toBeLessThan((steps[0] ?? 0) / 2);
    const scrolls = await device.page.evaluate(
      () => document.documentElement.scrollWidth > innerWidth,
    );
    expect(scrolls).toBe(false);
  },
);

test("[W214] on a narrow screen no guide runs through a text", async () => {
  const device = await planted(deep(12), { width: 320, height: 900 });
  await expect.poll(async () => (await device.rows()).length, SOON).toBe(12);
  const edges = await edgesOf(device);
  const first = edges[0]?.bullet ?? 0;
  const beyond = edges.filter(({ bullet, guides }) => Number.parseFloat(guides) > bullet - first);
  expect(beyond).toEqual([]);
});

test("[W215] a line that is written from right to left has its bullet, its level and its guides there", async () => {
  const device = await planted([
    "\u05e9\u05dc\u05d5\u05dd",
    "  \u05e2\u05d5\u05dc\u05dd",
    "latin",
    "  below",
  ]);
  await expect.poll(async () => (await device.rows()).length, SOON).toBe(4);
  const edges = await edgesOf(device);
  const width = await device.page.locator("[role=tree]").evaluate((tree) => tree.clientWidth);
  const at = Object.fromEntries(edges.map(({ name, bullet }) => [name, bullet]));
  const [outer = 0, inner = 0] = [at["\u05e9\u05dc\u05d5\u05dd"], at["\u05e2\u05d5\u05dc\u05dd"]];
  expect(outer).toBeGreaterThan(width - 60);
  expect(inner).toBeLessThan(outer - 15);
  expect(at["latin"]).toBeLessThan(60);
  expect(at["below"]).toBeGreaterThan((at["latin"] ?? 0) + 15);
  await device.focus(await device.keyOf("latin"), "Home");
  await device.type("- [ ] ");
  await device.focus(await device.keyOf("\u05e9\u05dc\u05d5\u05dd"), "Home");
  await device.type("- [ ] ");
  const gaps = () =>
    device.page.evaluate(() =>
      [...document.querySelectorAll("[role=treeitem]")].flatMap((row) => {
        const [check, texts] = [".check", ".texts"].map((part) => row.querySelector(part));
        if (check === null || check === undefined || texts === null || texts === undefined)
          return [];
        const [mark, text] = [check.getBoundingClientRect(), texts.getBoundingClientRect()];
        return [Math.round(Math.max(text.left - mark.right, mark.left - text.right))];
      }),
    );
  await expect.poll(gaps, SOON).toEqual([9, 9]);
});

/** Lines of different heights, so that places that are only guessed are wrong. */
const longLines = Array.from({ length: 160 }, (_, at) =>
  at % 3 === 0 ? `line ${at}${" which goes on and on".repeat(12)}` : `line ${at}`,
);

async function longOutline() {
  const device = await planted(longLines);
  await device.reaches("saved");
  return device;
}

test("[W217] a page up or down takes the caret along, in sight", async () => {
  const device = await longOutline();
  const { page } = device;
  const first = await device.keyOf(longLines[0] ?? "");
  await device.focus(first);
  const isInSight = () =>
    page.evaluate(() => {
      const box = document.activeElement?.closest("[role=treeitem]")?.getBoundingClientRect();
      return box !== undefined && box.bottom > 40 && box.top < innerHeight;
    });
  const lineOf = async () => (await device.caret())?.key;
  const visited = [await lineOf()];
  for (const way of ["PageDown", "PageDown", "PageDown", "PageUp"]) {
    await device.press(way);
    await expect.poll(lineOf, SOON).not.toBe(visited.at(-1));
    await expect.poll(isInSight, SOON).toBe(true);
    visited.push(await lineOf());
  }
  expect(new Set(visited.slice(0, 4)).size).toBe(4);
  await device.press("PageUp", "PageUp", "PageUp");
  await expect.poll(lineOf, SOON).toBe(first);
});

test("[W290] back and a reload restore the rows in sight and the caret, whatever came between", async () => {
  const device = await longOutline();
  const { page } = device;
  await page.evaluate(() => scrollTo(0, 2600));
  const [near, far] = [await device.keyOf("line 70"), await device.keyOf("line 71")];
  await device.name(near).scrollIntoViewIfNeeded();
  await device.focus(near);
  await device.press("ArrowLeft", "ArrowLeft");
  const topOf = (key: string) =>
    device
      .row(key)
      .evaluateAll((rows) => rows.map((row) => Math.round(row.getBoundingClientRect().top)));
  const [caret, tops] = [await device.caret(), await topOf(near)];
  expect(caret).toMatchObject({ key: near, at: 5 });
  const isBack = async () => {
    await expect.poll(() => topOf(near), SOON).toEqual([expect.closeTo(tops[0] ?? 0, -0.6)]);
    await expect.poll(() => device.caret(), SOON).toEqual(caret);
  };
  await device.row(far).locator("[data-part=bullet]").click();
  await expect.poll(() => page.url(), SOON).toContain(far.slice(-12));
  await expect.poll(() => page.evaluate(() => scrollY), SOON).toBe(0);
  await page.goBack();
  await isBack();
  await device.reload();
  await isBack();
  await page.goForward();
  await expect.poll(() => page.url(), SOON).toContain(far.slice(-12));
  await page.reload();
  await page.locator(".outliner[data-complete=true]").waitFor();
  await page.goBack();
  await isBack();
});

test("[W208] Enter takes what was typed, also before the names are read", async () => {
  const device = await planted(["one", "two"]);
  const hasTyped = device.page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const type = (_: unknown, watch: MutationObserver): void => {
          const field = document.querySelector<HTMLInputElement>("dialog [role=combobox]");
          if (field === null) return;
          watch.disconnect();
          field.value = "two";
          field.dispatchEvent(new InputEvent("input", { bubbles: true }));
          field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
          resolve();
        };
        new MutationObserver(type).observe(document.body, { childList: true, subtree: true });
      }),
  );
  const two = await device.keyOf("two");
  await device.press("Control+k");
  await hasTyped;
  await expect.poll(() => new URL(device.page.url()).hash, SOON).toBe(`#/${two}`);
});
