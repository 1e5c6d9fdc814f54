import { expect, test } from "vitest";
import type { Device } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

async function openSettings({ page }: Device): Promise<void> {
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await page.getByRole("menuitem", { name: "Settings…" }).click();
  await page.getByRole("heading", { name: "Signed-in browsers" }).waitFor();
}

async function sessionsOf(key: string): Promise<readonly unknown[]> {
  const response = await fetch(`${stage.server.url}/sessions`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return ((await response.json()) as { sessions: readonly unknown[] }).sessions;
}

async function asksToSignIn(device: Device): Promise<void> {
  const banner = device.page.locator("[data-part=banner]");
  await expect.poll(() => banner.textContent(), SOON).toMatch(/Sign in again/);
}

async function signInAgain({ page }: Device, key: string): Promise<void> {
  await page.getByRole("button", { name: "Sign in", exact: true }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your key").fill(key);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
}

test("[W99] another browser is signed out from the settings; what it had not sent is not lost", async () => {
  const { server } = stage;
  const key = await stage.person();
  const line = await server.create("start", undefined, key);
  const mine = await stage.device(key);
  const lost = await stage.device(key);
  const third = await stage.device(key);
  for (const device of [mine, lost, third]) await device.reaches("saved");
  await openSettings(mine);
  const section = mine.page.locator("section", {
    has: mine.page.getByRole("heading", { name: "Signed-in browsers" }),
  });
  const entries = section.getByRole("listitem");
  await expect.poll(() => entries.count(), SOON).toBe(3);
  expect(await entries.filter({ hasText: "this browser" }).count()).toBe(1);
  expect(await entries.first().textContent()).toMatch(/^Chrome on Linux/);
  // In the order of the sign-ins.
  await entries.nth(1).getByRole("button").click();
  await expect.poll(() => entries.count(), SOON).toBe(2);
  await asksToSignIn(lost);
  await third.reaches("saved");

  await lost.focus(line);
  await lost.type(" kept");
  await section.getByRole("button", { name: "Sign out everywhere else" }).click();
  await expect.poll(() => entries.count(), SOON).toBe(1);
  await asksToSignIn(third);
  expect(await section.getByRole("button", { name: /Sign out/ }).count()).toBe(0);
  await mine.press("Escape");
  await mine.reaches("saved");

  await signInAgain(lost, key);
  await lost.reaches("saved");
  expect(await server.sketch(key)).toEqual(["start kept"]);
  expect(await sessionsOf(key)).toHaveLength(2);
});

test("[W99] a key is made by keyboard, and shown until it is revoked", async () => {
  const key = await stage.person();
  await stage.server.create("start", undefined, key);
  const device = await stage.device(key);
  const { page } = device;
  await openSettings(device);
  await page.getByLabel("New key for").fill("script");
  const make = page.getByRole("button", { name: "Make a key" });
  await make.press("Enter");
  const made = page.getByText(/^ok_\w+$/);
  await made.waitFor();
  expect(await make.evaluate((element) => element === document.activeElement)).toBe(true);
  for (const name of ["Revoke script", "Really revoke script"]) {
    await page.getByRole("button", { name }).press("Enter");
  }
  await made.waitFor({ state: "detached" });
});

test("[A32, A44] a sign-out ends the session, whoever has copied its cookie", async () => {
  const key = await stage.person();
  await stage.server.create("start", undefined, key);
  const device = await stage.device(key);
  await device.reaches("saved");
  const [cookie, ...others] = await device.context.cookies();
  expect(others).toEqual([]);
  expect(cookie).toMatchObject({
    name: expect.stringMatching(/^outline_session_[0-9a-f]{8}$/) as unknown,
    value: expect.stringMatching(/^os_\w{32}$/) as unknown,
    httpOnly: true,
    sameSite: "Strict",
  });
  const copied = { headers: { cookie: `${cookie?.name}=${cookie?.value}` } };
  const asCopy = () => fetch(`${stage.server.url}/api/v1/nodes`, copied);
  expect((await asCopy()).status).toBe(200);
  await openSettings(device);
  await device.page.getByRole("button", { name: "Sign out…" }).click();
  await device.page.getByRole("button", { name: "Sign out", exact: true }).click();
  await device.page.getByRole("heading", { name: "Outline" }).waitFor();
  await expect.poll(async () => (await asCopy()).status, SOON).toBe(401);
  expect(await device.context.cookies()).toEqual([]);
  expect(await sessionsOf(key)).toEqual([]);
});

test("[A47] a browser of the first version goes on, with what it has not sent", async () => {
  const { server } = stage;
  const key = await stage.person();
  const line = await server.create("start", undefined, key);
  const device = await stage.device(key, { installs: true });
  await device.reaches("saved");
  await device.installed();
  // Back to what the first version has left: its cookie, and edits that the server does not have.
  await device.network.refuse();
  await device.focus(line);
  await device.type(" unsent");
  await device.reaches("local");
  await device.context.clearCookies();
  await fetch(`${server.url}/sessions`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${key}` },
  });
  const cookie = { name: "outline_session", value: key, httpOnly: true } as const;
  const { origin } = new URL(device.page.url());
  await device.context.addCookies([{ ...cookie, url: origin, sameSite: "Strict" }]);
  await device.network.pass();
  await device.reload();
  await device.shows(["start unsent"]);
  await device.reaches("saved");
  expect(await server.sketch(key)).toEqual(["start unsent"]);
  const names = (await device.context.cookies()).map(({ name }) => name);
  expect(names).toEqual([expect.stringMatching(/^outline_session_[0-9a-f]{8}$/)]);
});

test("[A41] a cookie that another program has set beside ours is told of", async () => {
  const key = await stage.person();
  await stage.server.create("start", undefined, key);
  const device = await stage.device(key);
  await device.reaches("saved");
  const [mine] = await device.context.cookies();
  const { hostname } = new URL(device.page.url());
  const planted = { name: mine?.name ?? "", value: "os_planted", domain: hostname };
  await device.context.addCookies([{ ...planted, path: "/session" }]);
  await device.page.evaluate(() => localStorage.clear());
  await device.page.reload();
  await expect
    .poll(() => device.page.getByRole("alert").allTextContents(), SOON)
    .toContainEqual(expect.stringMatching(/Another program on this host/));
});
