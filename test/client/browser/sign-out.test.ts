import { expect, test } from "vitest";
import type { Device } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

/** Goes through the settings, as a person does who is asked whether they mean it. */
async function signOut({ page }: Device, last = "Sign out"): Promise<void> {
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await page.getByRole("menuitem", { name: "Settings…" }).click();
  await page.getByRole("button", { name: "Sign out…" }).click();
  await page.getByRole("button", { name: last, exact: true }).click();
}

/** What is left in the browser that a next person could read. */
async function leftIn({ page }: Device): Promise<{ databases: number; words: string }> {
  return page.evaluate(async () => ({
    databases: (await indexedDB.databases()).length,
    words: JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
  }));
}

async function isSignedOut(device: Device): Promise<void> {
  await device.page.getByLabel("Your key").waitFor();
  await expect.poll(async () => (await leftIn(device)).databases, SOON).toBe(0);
}

async function openSecret(beforeLoad?: () => void): Promise<Device> {
  const key = await stage.person();
  await stage.server.create("secret", undefined, key);
  const device = await stage.device(key, {
    installs: true,
    ...(beforeLoad !== undefined && { beforeLoad }),
  });
  await device.shows(["secret"]);
  await device.reaches("saved");
  return device;
}

test("[W84] a sign-out leaves nothing here, and the next person has their own outline", async () => {
  const device = await openSecret();
  const otherTab = await device.newTab();
  await otherTab.shows(["secret"]);
  await device.page.bringToFront();
  await device.page.getByRole("button", { name: "Menu", exact: true }).click();
  await device.page.getByRole("menuitem", { name: "Capture" }).click();
  await device.page.getByLabel("What is on your mind?").fill("a secret thought");
  await device.press("Escape");
  await signOut(device);
  for (const tab of [device, otherTab]) await isSignedOut(tab);
  expect((await leftIn(device)).words).not.toContain("secret");
  await device.page.reload();
  await isSignedOut(device);

  const next = await stage.person();
  await stage.server.create("of the next person", undefined, next);
  await device.signIn(next);
  await device.shows(["of the next person"]);
});

test("[W84] without a network it takes effect at once, and what was not sent is named first", async () => {
  const device = await openSecret();
  await device.installed();
  await device.network.refuse();
  await device.focus(await device.keyOf("secret"));
  await device.type("!");
  await device.reaches("local");
  await signOut(device, "Sign out and lose changes to 1 line");
  await device.page.getByText("You are signed out").waitFor();
  await expect.poll(async () => (await leftIn(device)).databases, SOON).toBe(0);
  await device.network.pass();
  await device.page.reload();
  await isSignedOut(device);
});

test.each([
  ["a desktop", { width: 1280, height: 720 }],
  ["a phone", { width: 320, height: 560 }],
])(
  "[W435] on %s the answers are in sight, and the keys go to the one that stays",
  async (_, size) => {
    const device = await openSecret();
    const { page } = device;
    await device.installed();
    await page.setViewportSize(size);
    await device.network.refuse();
    await device.focus(await device.keyOf("secret"));
    await device.type("!");
    await device.reaches("local");
    await page.getByRole("button", { name: "Menu", exact: true }).click();
    await page.getByRole("menuitem", { name: "Settings…" }).click();
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    const ask = page.getByRole("button", { name: "Sign out…" });
    await ask.focus();
    await device.press("Enter");
    await expect.poll(focused, SOON).toBe("Stay");
    const last = page.getByRole("button", { name: "Sign out and lose changes to 1 line" });
    const hidden = () =>
      last.evaluate((button) => {
        const frame = button.closest("dialog")?.getBoundingClientRect();
        return button.getBoundingClientRect().bottom - (frame?.bottom ?? 0);
      });
    await expect.poll(hidden, SOON).toBeLessThan(0);
    // What stands above them may come later.
    await last.evaluate((button) => {
      const above = button.closest("section")?.previousElementSibling;
      if (above instanceof HTMLElement) above.style.paddingBottom = "300px";
    });
    await expect.poll(hidden, SOON).toBeLessThan(0);
    await device.press("Enter");
    await expect.poll(focused, SOON).toBe("Sign out…");
  },
);

test("[W84] storage that hangs holds it up for seconds, and is emptied by the next start", async () => {
  const device = await openSecret(() => {
    const open = indexedDB.open.bind(indexedDB);
    indexedDB.open = (...of) => {
      if (document.documentElement.dataset["storage"] !== "hangs") return open(...of);
      return new EventTarget() as IDBOpenDBRequest;
    };
  });
  await device.page.evaluate(() => (document.documentElement.dataset["storage"] = "hangs"));
  await signOut(device);
  await isSignedOut(device);
});
