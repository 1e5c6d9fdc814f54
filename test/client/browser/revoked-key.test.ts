import { expect, test } from "vitest";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

interface MadeKey {
  readonly id: string;
  readonly key: string;
}

async function secondKey(key: string, more: object = {}): Promise<MadeKey> {
  const { body } = await stage.server.call("POST", "keys", { name: "second", ...more }, key);
  return body as MadeKey;
}

test("a key that is revoked: no retry loop, edits are kept, and sent after the next sign-in", async () => {
  const { server } = stage;
  const owner = await stage.person();
  const line = await server.create("start", undefined, owner);
  const { id, key } = await secondKey(owner);
  const device = await stage.device(key, { installs: true });
  await device.reaches("saved");
  await device.focus(line);
  let attempts = 0;
  device.page.on("websocket", () => attempts++);

  await server.call("DELETE", `keys/${id}`, undefined, owner);
  await device.reaches("local");
  await device.type(" kept");
  await device.press("Enter");
  await device.type("kept too");
  await expect.poll(async () => (await device.status()).words, SOON).toMatch(/not sent/);
  const banner = device.page.locator("[data-part=banner]");
  await expect.poll(() => banner.textContent(), SOON).toMatch(/Sign in again/);

  // It survives a reload, still signed out, and nothing is tried in between.
  await device.installed();
  await device.reload();
  await device.shows(["start kept", "kept too"]);
  await device.reaches("local");
  expect(await server.sketch(owner)).toEqual(["start"]);
  // A page that was reloaded may have looked once.
  expect(attempts).toBeLessThanOrEqual(1);

  const next = await secondKey(owner);
  await device.page.getByRole("button", { name: "Sign in", exact: true }).first().click();
  const dialog = device.page.getByRole("dialog");
  await dialog.getByLabel("Your key").fill(next.key);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await device.reaches("saved");
  expect(await server.sketch(owner)).toEqual(["start kept", "kept too"]);
});

test("the key is nowhere that scripts can read, and in no address", async () => {
  const key = await stage.person();
  await stage.server.create("start", undefined, key);
  const device = await stage.stranger();
  const addresses: string[] = [];
  device.page.on("request", (request) => addresses.push(request.url()));
  device.page.on("websocket", (socket) => addresses.push(socket.url()));
  await device.signIn(key);
  await device.reaches("saved");

  const readable = await device.page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const records: unknown[] = [];
    for (const { name = "" } of databases) {
      const database = await new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open(name);
        request.addEventListener("success", () => resolve(request.result));
        request.addEventListener("error", () => reject(new Error("not opened")));
      });
      for (const store of database.objectStoreNames) {
        const all = database.transaction(store).objectStore(store).getAll();
        await new Promise((resolve) => all.addEventListener("success", resolve));
        records.push(all.result);
      }
      database.close();
    }
    return {
      places: [document.cookie, location.href, JSON.stringify(Object.entries(localStorage))],
      session: JSON.stringify(Object.entries(sessionStorage)),
      page: document.documentElement.outerHTML,
      fields: [...document.querySelectorAll("input")].map(({ value }) => value),
      databases: databases.length,
      records: JSON.stringify(records, (_, value: unknown) =>
        value instanceof Uint8Array ? new TextDecoder("latin1").decode(value) : value,
      ),
    };
  });
  expect(readable.databases).toBeGreaterThan(0);
  expect(readable.records.length).toBeGreaterThan(20);
  expect(JSON.stringify(readable)).not.toContain(key);
  expect(addresses.length).toBeGreaterThan(1);
  expect(addresses.filter((address) => address.includes(key))).toEqual([]);
});

test("a wrong key: the person is told, and can try again", async () => {
  const key = await stage.person();
  await stage.server.create("start", undefined, key);
  const device = await stage.stranger();
  await device.page.getByLabel("Your key").fill("ok_wrong-wrong-wrong");
  await device.page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect
    .poll(() => device.page.getByRole("alert").allTextContents(), SOON)
    .toContain("The server does not know this key.");
  await device.signIn(key);
  await device.shows(["start"]);
});

test("a key that may only read: what is written stays here, and the person knows", async () => {
  const owner = await stage.person();
  const line = await stage.server.create("start", undefined, owner);
  const { key } = await secondKey(owner, { scope: "read" });
  const device = await stage.device(key);
  await device.shows(["start"]);
  await stage.server.create("from elsewhere", undefined, owner);
  await device.shows(["start", "from elsewhere"]);
  await device.focus(line);
  await device.type(" of mine");
  await device.reaches("local");
  const banner = device.page.locator("[data-part=banner]");
  await expect.poll(() => banner.textContent(), SOON).toMatch(/may only read/);
  expect(await stage.server.sketch(owner)).toEqual(["start", "from elsewhere"]);
});
