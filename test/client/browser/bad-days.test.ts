import { expect, test } from "vitest";
import type { Device } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

async function oneLine() {
  const { lineOf, ...desk } = await stage.desk("start");
  // Which the page would take over in a change of its own.
  await stage.server.call("POST", "settings", { timezone: "Etc/UTC" }, desk.key);
  await desk.device.reaches("saved");
  return { ...desk, line: lineOf("start") };
}

/** What a program or the system hands over with files in it: pasted where the caret is, or dropped. */
async function handOver(
  { page }: Device,
  kind: "paste" | "drop",
  file: { readonly name: string; readonly type: string; readonly content: string },
  words = "",
  html = "",
): Promise<void> {
  await page.evaluate(
    ([how, { name, type, content }, text, source]) => {
      const data = new DataTransfer();
      data.items.add(new File([content], name, { type }));
      if (text !== "") data.setData("text/plain", text);
      if (source !== "") data.setData("text/html", source);
      const init = { bubbles: true, cancelable: true, composed: true };
      const target = document.activeElement ?? document.body;
      if (how === "paste") {
        target.dispatchEvent(new ClipboardEvent("paste", { ...init, clipboardData: data }));
        return;
      }
      for (const each of ["dragover", "drop"]) {
        const event = new DragEvent(each, { ...init, dataTransfer: data });
        document.body.dispatchEvent(event);
        if (!event.defaultPrevented) throw new Error("the browser would open it");
      }
    },
    [kind, file, words, html] as const,
  );
}

const notices = ({ page }: Device) => page.locator("[data-part=notice]").allTextContents();

test("[W218, W425] of a picture that is pasted or dropped it is said that it is not added", async () => {
  const { line, device } = await oneLine();
  await device.focus(line);
  const picture = { name: "cat.png", type: "image/png", content: "PNG" };
  for (const kind of ["paste", "drop"] as const) {
    await handOver(device, kind, picture);
    await expect
      .poll(() => notices(device), SOON)
      .toEqual([expect.stringMatching(/“cat.png” was not added: an outline holds text/)]);
    await device.page.getByRole("button", { name: "Dismiss" }).click();
  }
  await device.focus(line);
  // With words beside it, as of a cell of a table, the words count.
  await handOver(device, "paste", picture, " and words");
  await device.shows(["start and words"]);
  expect(await notices(device)).toEqual([]);
  // Of one that is copied from a page it is known where it is.
  const src = "https://site.example/cat.png";
  await handOver(device, "paste", picture, "", `<img alt="" src="${src}">`);
  await device.shows([`start and words${src}`]);
  expect(await notices(device)).toEqual([]);
});

test("[W218] a list that is dropped or pasted as a file is offered for import", async () => {
  const { line, device } = await oneLine();
  await device.focus(line);
  const opml =
    '<opml version="2.0"><body><outline text="one"><outline text="two"/></outline></body></opml>';
  await handOver(device, "drop", { name: "list.opml", type: "", content: opml });
  const dialog = device.page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Import 2 lines" }).click();
  await device.shows(["start", "one", "  two"]);
  await device.focus(line);
  await handOver(device, "paste", { name: "b.txt", type: "text/plain", content: "three" });
  await dialog.getByRole("button", { name: "Import 1 line" }).click();
  await device.shows(["start", "one", "  two", "three"]);
});

test("[W219] a paste of 9 MB is refused with words, and the page goes on", async () => {
  const { line, device, stored } = await oneLine();
  await device.focus(line);
  await device.page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData(
      "text/plain",
      "a line of fifty letters, of which there are many.\n".repeat(180_000),
    );
    const init = { clipboardData, bubbles: true, cancelable: true, composed: true };
    document.activeElement?.dispatchEvent(new ClipboardEvent("paste", init));
  });
  await expect
    .poll(() => notices(device), SOON)
    .toEqual([expect.stringMatching(/Nothing was pasted: 9 million characters/)]);
  await device.type(" goes on");
  await device.shows(["start goes on"]);
  await expect.poll(stored, SOON).toEqual(["start goes on"]);
});

test("[W220] when the browser forgets everything, signing in again sends what is in the page", async () => {
  const key = await stage.person();
  const line = await stage.server.create("start", undefined, key);
  const device = await stage.device(key);
  await device.reaches("saved");
  await device.network.refuse();
  await device.focus(line);
  await device.type(" unsent");
  await device.reaches("local");
  const devtools = await device.devtools();
  const origin = new URL(device.network.url).origin;
  await devtools.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  await device.context.clearCookies();
  await device.reaches("unsaved");
  await device.comeBack();
  const banner = device.page.locator("[data-part=banner]");
  await expect
    .poll(() => banner.textContent(), SOON)
    .toMatch(/Sign in again to send your changes to 1 line/);
  await banner.getByRole("button", { name: "Sign in" }).click();
  const dialog = device.page.getByRole("dialog");
  await dialog.getByLabel("Your key").fill(key);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect.poll(() => stage.server.sketch(key), SOON).toEqual(["start unsent"]);
  // It can begin anew now, which loses nothing.
  await banner.getByRole("button", { name: "Reload" }).click();
  await device.ready();
  await device.shows(["start unsent"]);
  await device.reaches("saved");
});

test("[L1, L5] a tab that was frozen, as browsers do with those nobody looks at, goes on where it was", async () => {
  const { key, line, device } = await oneLine();
  const devtools = await device.devtools();
  await device.focus(line);
  device.network.hang();
  await device.type(" and unsent");
  await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
  device.network.dropConnections();
  await stage.server.create("from elsewhere", undefined, key);
  await device.network.pass();
  await devtools.send("Page.setWebLifecycleState", { state: "active" });
  await device.shows(["start and unsent", "from elsewhere"]);
  await device.reaches("saved");
  await device.type("!");
  await expect
    .poll(() => stage.server.sketch(key), SOON)
    .toEqual(["start and unsent!", "from elsewhere"]);
});
