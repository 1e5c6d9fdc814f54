import { expect, test } from "vitest";
import type { Device } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

/** The texts that glow on the page. */
function glowing({ page }: Device): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...(CSS.highlights.get("search") ?? [])].map((range) => (range as Range).toString()),
  );
}

const namesOf = async (device: Device) => (await device.rows()).map(({ name }) => name);

async function openSearched() {
  const lines = ["Home #home", "  Milk @ann #home", "  Oat MILK", "Other"];
  const { lineOf, ...desk } = await stage.desk(...lines);
  return { ...desk, oat: lineOf("Oat MILK"), home: lineOf("Home #home") };
}

test("[W230, W231] what is found glows and is counted; results come back behind a zoom", async () => {
  const { device, oat } = await openSearched();
  const { page } = device;
  await page.getByRole("searchbox").click();
  await device.type("milk");
  await expect.poll(() => glowing(device), SOON).toEqual(["Milk", "MILK"]);
  await expect.poll(() => page.locator(".search-count").textContent(), SOON).toBe("2 lines");
  await expect.poll(() => page.url(), SOON).toContain("#/?q=milk");
  await device.row(oat).locator("[data-part=bullet]").click();
  await expect.poll(() => page.url(), SOON).toContain(`#/${oat.slice(-12)}`);
  expect(await page.getByRole("searchbox").inputValue()).toBe("");
  await expect.poll(() => glowing(device), SOON).toEqual([]);
  await page.goBack();
  await expect.poll(() => glowing(device), SOON).toEqual(["Milk", "MILK"]);
  await page.reload();
  await expect.poll(() => glowing(device), SOON).toEqual(["Milk", "MILK"]);
  await page.goBack();
  await expect.poll(() => namesOf(device), SOON).toHaveLength(4);
  expect(await page.getByRole("searchbox").inputValue()).toBe("");
});

test("[W232] a click on a tag narrows, another one takes it off, and back goes back", async () => {
  const { device } = await openSearched();
  const { page } = device;
  const box = page.getByRole("searchbox");
  await page.locator("[data-tag='#home']").first().click();
  await expect.poll(() => box.inputValue(), SOON).toBe("#home");
  await page.locator("[data-tag='@ann']").click();
  await expect.poll(() => box.inputValue(), SOON).toBe("#home @ann");
  await expect.poll(() => namesOf(device), SOON).toEqual(["Home #home", "Milk @ann #home"]);
  await page.locator("[data-tag='#home']").last().click();
  await expect.poll(() => box.inputValue(), SOON).toBe("@ann");
  await page.goBack();
  await expect.poll(() => box.inputValue(), SOON).toBe("#home @ann");
});

test("[W233, W234] a copied link is pasted as a link of the outline, and followed in place", async () => {
  const { device, oat, home } = await openSearched();
  const { page } = device;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await device.focus(oat);
  await device.press("Control+Shift+L");
  await expect.poll(() => page.getByText("Link copied").count(), SOON).toBeGreaterThan(0);
  await device.focus(home);
  await device.press("Control+V");
  const link = device.row(home).locator("a[href^='#/']", { hasText: "Oat MILK" });
  await expect
    .poll(() => device.row(home).locator("[data-part=name]").innerHTML(), SOON)
    .toContain("Oat MILK");
  expect(await link.count()).toBe(1);
  expect(await link.getAttribute("target")).toBe(null);
  const pages = page.context().pages().length;
  await link.click();
  await expect.poll(() => page.url(), SOON).toContain(`#/${oat.slice(-12)}`);
  expect(page.context().pages()).toHaveLength(pages);
});

test("[W235, W236, W237] a line is linked to, renamed, and lists what links to it", async () => {
  const { device, oat, home } = await openSearched();
  const { page } = device;
  await device.focus(home);
  await device.type(" [[oat");
  await expect.poll(() => page.getByRole("option").count(), SOON).toBe(1);
  await device.press("Enter");
  const link = device.row(home).locator(`a[href='#/${oat.slice(-12)}']`, { hasText: "Oat MILK" });
  await expect.poll(() => link.count(), SOON).toBe(1);
  await device.focus(oat);
  await device.type("shake");
  await device.focus(home);
  await expect.poll(() => link.textContent(), SOON).toBe("Oat MILKshake");
  await link.click();
  const section = page.getByRole("region", { name: "1 line links here" });
  await expect.poll(() => section.getByRole("link").count(), SOON).toBe(1);
  await section.getByRole("link").click();
  await expect.poll(() => page.url(), SOON).toContain(home.slice(-12));
});

test("[W292, W293] a count leads to the lines that link; a link whose line is deleted says so", async () => {
  const { device, key, oat, home } = await openSearched();
  const { page } = device;
  const { server } = stage;
  const link = `<a href="#/${oat.slice(-12)}">oats</a>`;
  const one = await server.create(`One ${link}`, undefined, key);
  const two = await server.create("Two", home, key, { note: `of ${link}` });
  const count = device.row(oat).locator("[data-part=backlinks]");
  await expect.poll(() => count.getAttribute("title"), SOON).toBe("2 lines link here");
  expect(await page.locator("[data-part=backlinks]").count()).toBe(1);
  await count.click();
  await expect.poll(() => namesOf(device), SOON).toEqual(["Home #home", "Two", "One oats"]);
  await page.goBack();
  await expect.poll(() => namesOf(device), SOON).toHaveLength(6);
  await server.call("DELETE", `nodes/${two}`, undefined, key);
  await expect.poll(() => count.textContent(), SOON).toBe("1");

  await device.focus(oat);
  await device.press("Control+Shift+Backspace");
  const lost = device.row(one).locator("a[data-lost]");
  await expect.poll(() => lost.textContent(), SOON).toBe("oats");
  const address = page.url();
  await lost.click();
  await page.getByText("The line that this link leads to was deleted.").first().waitFor();
  expect(page.url()).toBe(address);
  await device.focus(home);
  await device.press("Control+Z");
  await expect.poll(() => lost.count(), SOON).toBe(0);
  await device.row(one).locator("a", { hasText: "oats" }).click();
  await expect.poll(() => page.url(), SOON).toContain(oat.slice(-12));

  await device.reaches("saved");
  await server.call("DELETE", `nodes/${oat}`, undefined, key);
  await expect.poll(() => page.url(), SOON).not.toContain(oat.slice(-12));
  await page.goto(new URL(`#/${oat.slice(-12)}`, page.url()).href);
  await page.getByText("The line that this address leads to was deleted.").first().waitFor();
  await page.goto(new URL("#/00000000000f", page.url()).href);
  await page
    .getByText("The line that this address leads to is not in this outline.")
    .first()
    .waitFor();
});

test("[W321] a search among the stars is found again where it looked, until it is taken out", async () => {
  const { device, home, beside } = await openSearched();
  const other = await beside();
  const { page } = device;
  const box = page.getByRole("searchbox");
  const stars = page.getByRole("navigation", { name: "Places" });
  const save = async (query: string): Promise<void> => {
    await box.fill(query);
    await page.getByRole("button", { name: "Save this search" }).click();
  };
  await save("#home is:open/closed 50%");
  await save("milk");
  await device.row(home).locator("[data-part=bullet]").click();
  await save("milk");
  await page.getByRole("button", { name: "Remove this search from the stars" }).waitFor();
  await box.fill("");

  // Another device of the same person has them too.
  const names = (): Promise<readonly string[]> =>
    other.page.locator(".sidebar .place[href*='?q=']").allTextContents();
  await expect
    .poll(names, SOON)
    .toEqual(["#home is:open/closed 50%", "milk", "milk in Home #home"]);

  await stars.getByRole("link", { name: "milk", exact: true }).click();
  await expect.poll(() => page.url(), SOON).toContain("#/?q=milk");
  expect(await box.inputValue()).toBe("milk");
  await expect.poll(() => glowing(device), SOON).toEqual(["Milk", "MILK"]);
  expect(await stars.locator("[aria-current=page]").allTextContents()).toEqual(["milk"]);
  await page.getByRole("button", { name: "Remove this search from the stars" }).click();
  await expect.poll(names, SOON).toEqual(["#home is:open/closed 50%", "milk in Home #home"]);
});

test("[W432] the list of what a search understands is pressed, and left, as a person expects", async () => {
  const { device } = await openSearched();
  const { page } = device;
  const [box, list] = [page.getByRole("searchbox"), page.locator(".search-operators")];
  const hasFocus = () => box.evaluate((element) => element === document.activeElement);
  await box.click();
  await list.waitFor();
  // Beside the examples: the title, and the edge of the list.
  await page.getByText("Words, or any of these").click();
  await list.click({ position: { x: 2, y: 2 } });
  expect(await list.isVisible()).toBe(true);
  expect(await hasFocus()).toBe(true);
  await device.press("Escape");
  await expect.poll(() => list.isVisible(), SOON).toBe(false);
  // Beside the lines, where none had the caret.
  await device.press("Control+f");
  await list.waitFor();
  await page.mouse.click(1270, 300);
  await expect.poll(() => list.isVisible(), SOON).toBe(false);
  expect(await hasFocus()).toBe(false);
  await box.click();
  // What lies over lines takes the press that was meant for it.
  await page.getByRole("button", { name: "#tag" }).click();
  expect(await box.inputValue()).toBe("#tag");
  expect(await hasFocus()).toBe(true);
  await device.type("s");
  expect(await box.inputValue()).toBe("#tags");
});
