import { expect, test } from "vitest";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

/** `plan` with two lines, `week`, and a mirror of the one in the other; seen on a device. */
async function openMirror() {
  const { device, lineOf, stored } = await stage.desk("plan", "  book", "  pack", "week");
  const [plan, book] = [lineOf("plan"), lineOf("book")];
  return { device, stored, plan, book, pack: lineOf("pack"), week: lineOf("week") };
}

const MIRRORED = ["plan", "  book", "  pack", "week", "  plan", "    book", "    pack"];

test("[W221, W420, W422, W423] a pasted link is the same line in another place, edited in any", async () => {
  const { device, stored, plan, book, pack, week } = await openMirror();
  const { page } = device;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await device.focus(plan);
  await device.press("Control+Shift+L");
  await expect.poll(() => page.getByText("Link copied").count(), SOON).toBeGreaterThan(0);
  await device.focus(week);
  await device.press("Enter", "Tab", "Control+V");
  await device.shows(MIRRORED);
  const mirror = (await device.rows())[4]?.key ?? "";
  expect(await device.caret()).toEqual({ key: mirror, part: "name", at: 4 });
  const row = device.row(mirror);
  expect(await row.getAttribute("aria-description")).toBe("Mirror");
  const [copied, beside] = [mirror + book, mirror + pack];

  // Typed in the copy, seen at its own place, and the caret stays in the copy.
  await device.focus(copied);
  await device.type(" a room");
  await expect.poll(() => device.name(book).textContent(), SOON).toBe("book a room");
  expect(await device.caret()).toEqual({ key: copied, part: "name", at: 11 });
  // The arrows go through both.
  await device.press("ArrowDown", "End");
  expect((await device.caret())?.key).toBe(beside);
  await device.press("Tab");
  await device.shows([
    "plan",
    "  book a room",
    "    pack",
    "week",
    "  plan",
    "    book a room",
    "      pack",
  ]);
  expect((await device.caret())?.key).toBe(beside);
  await device.press("Enter");
  await device.type("bag");
  await expect
    .poll(stored, SOON)
    .toEqual(["plan", "  book a room", "    pack", "    bag", "week", "  plan"]);
  await device.press("Control+Z", "Control+Z", "Control+Z");
  await expect.poll(() => device.caret(), SOON).toEqual({ key: beside, part: "name", at: 4 });

  // Closed in one place, open in the other; the same after a reload.
  await row.locator("[data-part=fold]").click();
  const closed = ["plan", "  book a room", "  pack", "week", "  plan"];
  await device.shows(closed);
  await device.reload();
  await device.shows(closed);
  await row.locator("[data-part=fold]").click();
  await device.shows([...closed, "    book a room", "    pack"]);

  // Its link is the origin's.
  expect(await row.locator("[data-part=bullet]").getAttribute("href")).toBe(`#/${plan}`);
  await device.focus(mirror);
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await device.press("Control+Shift+L");
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()), SOON)
    .toMatch(new RegExp(`#/${plan}$`));

  // A screen reader hears every row once, and the mirror for what it is.
  const ids = await page
    .locator("[id]")
    .evaluateAll((elements) => elements.map((element) => element.id));
  expect(new Set(ids).size).toBe(ids.length);

  // Deleted alone.
  await device.focus(mirror);
  await device.press("Control+Shift+Backspace");
  await device.shows(["plan", "  book a room", "  pack", "week"]);
});

test("[W45, W422] lines are dragged into a mirror and out of it, and back where Escape is pressed", async () => {
  const { device, plan, book, pack, week } = await openMirror();
  const { page } = device;
  await device.focus(week);
  await device.press("Enter", "Tab");
  await device.paste({ "text/plain": `#/${plan}` });
  await device.shows(MIRRORED);
  const mirror = (await device.rows())[4]?.key ?? "";
  const middleOf = async (row: string) => {
    const box = await device.row(row).locator("[data-part=bullet]").boundingBox();
    if (box === null) throw new Error("a row is not on the screen");
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const grasp = async (row: string) => {
    const { x, y } = await middleOf(row);
    await page.mouse.move(x, y);
    await page.mouse.down();
    return { x, y };
  };
  const drag = async (from: string, to: string, downPx: number): Promise<void> => {
    const aim = await middleOf(to);
    await grasp(from);
    await page.mouse.move(aim.x, aim.y + downPx, { steps: 5 });
    await page.mouse.up();
  };
  await drag(mirror + pack, mirror + book, -12);
  await device.shows(["plan", "  pack", "  book", "week", "  plan", "    pack", "    book"]);
  await drag(mirror + book, week, 12);
  const dragged = ["plan", "  pack", "week", "  book", "  plan", "    pack"];
  await device.shows(dragged);

  // Held at the edge it scrolls on. Escape gives it up, and the button that is let go opens nothing.
  await page.setViewportSize({ width: 900, height: 200 });
  const { x, y } = await grasp(plan);
  await page.mouse.move(x, y + 20);
  await page.mouse.move(x, 190);
  const farther = () => page.evaluate(() => scrollY >= document.body.scrollHeight - innerHeight);
  await expect.poll(farther, SOON).toBe(true);
  await page.evaluate(() => scrollTo(0, 0));
  await page.mouse.move(x, y);
  await device.press("Escape");
  await page.mouse.up();
  await device.shows(dragged);
  expect(new URL(page.url()).hash).toMatch(/^(#\/)?$/);
});

test("[W90, W422] a date that is written below a mirror leaves the caret there", async () => {
  const { device, plan, book, week } = await openMirror();
  await device.focus(week);
  await device.press("Enter", "Tab");
  await device.paste({ "text/plain": `#/${plan}` });
  await device.shows(MIRRORED);
  const mirror = (await device.rows())[4]?.key ?? "";
  await device.focus(mirror + book);
  await device.type(" /date");
  await device.page.getByRole("option", { name: "Date…" }).waitFor();
  await device.press("Enter");
  await device.page.getByLabel("In words").fill("dec 24 2026");
  await device.press("Enter");
  await expect
    .poll(() => device.caret(), SOON)
    .toEqual({ key: mirror + book, part: "name", at: "book Thu, Dec 24, 2026".length });
});
