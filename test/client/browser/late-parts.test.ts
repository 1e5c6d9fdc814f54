import { expect, test } from "vitest";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

test("[W301] what is captured as markdown is read as such without a network", async () => {
  const device = await stage.device(await stage.person(), { installs: true });
  await device.reaches("saved");
  await device.installed();
  await device.network.refuse();
  await device.reload();
  await device.page.getByRole("button", { name: "Menu" }).click();
  await device.page.getByRole("menuitem", { name: "Capture" }).click();
  await device.page.getByRole("textbox", { name: "What is on your mind?" }).fill("a **bold** idea");
  await device.press("Enter");
  await device.page.getByRole("button", { name: "Show" }).click();
  const bold = device.page.locator("[data-part=name] b");
  await expect.poll(() => bold.allTextContents(), SOON).toEqual(["bold"]);
});

test("[W301] a page reads every entity of HTML as the server does", async () => {
  const device = await stage.device(await stage.person());
  await device.reaches("saved");
  const names = [
    "&amp;hearts;",
    "&amp;nbsp;",
    "&amp;NotEqualTilde;",
    "&amp;#x1F600;",
    "&amp;nosuch;",
  ];
  const text = `<opml version="2.0"><body><outline text="[${names.join("|")}]"/></body></opml>`;
  await device.focus((await device.rows())[0]?.key ?? "");
  await device.press("Enter");
  await device.paste({ "text/plain": text });
  await expect.poll(() => device.sketch(), SOON).toContain("  [♥|\u00a0|≂̸|😀|&nosuch;]");
});

test("[W301] without the part that connects, what is written is stored here, and sent when it is there", async () => {
  // A worker would have the part.
  const device = await stage.device(await stage.person(), { context: { serviceWorkers: "block" } });
  await device.reaches("saved");
  const before = await device.sketch();
  const LEADING = /assets\/leading-/;
  await device.page.route(LEADING, (route) => route.fulfill({ status: 404 }));
  await device.page.reload();
  await device.ready();
  await expect
    .poll(() => device.page.locator("[data-part=notice]").allTextContents(), SOON)
    .toEqual([expect.stringMatching(/A part of the app could not be loaded/)]);
  await device.focus((await device.rows())[0]?.key ?? "");
  await device.press("Enter");
  await device.type("written all the same");
  await device.reaches("local");
  await device.page.unroute(LEADING);
  await device.page.getByRole("button", { name: "Reload", exact: true }).click();
  await device.reaches("saved");
  expect(await device.sketch()).toEqual([before[0], "  written all the same", ...before.slice(1)]);
});

test("[W97] without the part that prints, paper shows what the screen does", async () => {
  // A worker would have the part.
  const device = await stage.device(await stage.person(), { context: { serviceWorkers: "block" } });
  await device.reaches("saved");
  const rows = device.page.locator(".rows");
  await device.page.route(/assets\/print-view-/, (route) => route.abort());
  await device.page.reload();
  await device.ready();
  await device.page.emulateMedia({ media: "print" });
  expect(await rows.isVisible()).toBe(true);
  await device.page.emulateMedia({ media: null });
});
