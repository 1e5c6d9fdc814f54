import { expect, test } from "vitest";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

test("Escape closes the page's menu and leaves the caret to the person", async () => {
  const key = await stage.person();
  await stage.server.create("a", undefined, key);
  const device = await stage.device(key);
  await device.shows(["a"]);
  await device.page.getByRole("button", { name: "Menu", exact: true }).click();
  const item = device.page.getByRole("menuitem", { name: /Settings/ });
  await item.waitFor();
  await device.press("Escape");
  await expect.poll(() => item.isVisible(), SOON).toBe(false);
  const focused = device.page.getByRole("button", { name: "Menu", exact: true });
  await expect
    .poll(() => focused.evaluate((button) => button === document.activeElement), SOON)
    .toBe(true);
});

test("after a line was moved out of sight the caret is in the line above it", async () => {
  const key = await stage.person();
  const { server } = stage;
  await server.create("target", undefined, key);
  const here = await server.create("here", undefined, key);
  const stays = await server.create("stays", here, key);
  const goes = await server.create("goes", here, key);
  const device = await stage.device(key);
  await device.row(here).locator("[data-part=bullet]").click();
  await device.shows(["stays", "goes"]);
  await device.name(goes).click();
  await device.press("Control+Shift+M");
  await device.page.getByLabel("Move to").last().waitFor();
  await device.type("target");
  await device.page.getByRole("option", { name: /target/ }).waitFor();
  await device.press("Enter");
  await device.shows(["stays"]);
  await expect.poll(() => device.caret(), SOON).toEqual({ key: stays, part: "name", at: 5 });
  await expect
    .poll(() => server.sketch(key), SOON)
    .toEqual(["target", "  goes", "here", "  stays"]);
});
