import { describe, expect, test, vi } from "vitest";
import * as Y from "yjs";
import { type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import { encodePlacement } from "../../../src/core/tree/placement.ts";
import { nodesOf } from "../../../src/core/schema.ts";
import { connectStockClient, type StockClient } from "../../e2e/stock-client.ts";
import type { Device } from "../support/device.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

const HOSTILE_HTML = `
  <script>window.hacked = "script"</script>
  <style>body { display: none }</style>
  <ul>
    <li onclick="window.hacked = 'handler'">plain <b onmouseover="window.hacked=1">bold</b></li>
    <li><a href="javascript:window.hacked='link'">script link</a></li>
    <li><a href="data:text/html,<script>window.hacked='data'</script>">data link</a></li>
    <li><a href="https://example.com/?a=1&amp;b=2" target="_top" onclick="alert(1)">good link</a></li>
    <li><img src="x" onerror="window.hacked = 'image'"> picture</li>
    <li><iframe srcdoc="<script>parent.hacked='frame'</script>"></iframe>frame</li>
    <li><svg onload="window.hacked='svg'"><text>drawing</text></svg></li>
    <li><math><mtext><img src=x onerror="window.hacked=1"></mtext></math>formula</li>
    <li><form action="https://example.com"><button formaction="javascript:window.hacked=1">button</button></form></li>
    <li>nested<ul><li>deeper &lt;script&gt;as text&lt;/script&gt;</li></ul></li>
  </ul>`;

/** What would run or load something if it got into the page. */
async function dangers({ page }: Device): Promise<readonly string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    if ("hacked" in window) found.push(`it ran: ${String(window.hacked)}`);
    for (const element of document.querySelectorAll("[role=tree] *, [data-part=title] *")) {
      if (/^(script|style|img|iframe|form|math|object|embed|link|meta)$/i.test(element.tagName)) {
        found.push(element.tagName);
      }
      for (const { name, value } of element.attributes) {
        if (name.startsWith("on")) found.push(`${element.tagName} ${name}`);
        if (
          /^(href|src|action|formaction|srcdoc)$/.test(name) &&
          !/^(https?:|mailto:|#)/.test(value)
        ) {
          found.push(`${element.tagName} ${name}=${value}`);
        }
      }
    }
    return found;
  });
}

describe("what is pasted", () => {
  test("HTML keeps its text and its hierarchy, and nothing of it runs or loads", async () => {
    const { device, lineOf, beside } = await stage.desk("start");
    const requests: string[] = [];
    device.page.on("request", (request) => requests.push(request.url()));
    await device.focus(lineOf("start"));
    await device.press("Enter");
    await device.paste({ "text/html": HOSTILE_HTML, "text/plain": "not this" });
    await expect.poll(async () => (await device.rows()).length, SOON).toBe(12);

    const text = (await device.rows()).map(({ name }) => name.replaceAll(/\s+/g, " ").trim());
    for (const expected of [
      "plain bold",
      "script link",
      "data link",
      "good link",
      "picture",
      "frame",
      "formula",
      "nested",
      "deeper <script>as text</script>",
    ]) {
      expect(text).toContain(expected);
    }
    const nested = (await device.rows()).find(({ name }) => name.startsWith("deeper"));
    expect(nested?.level).toBe(2);
    const links = await device.page.locator("[role=tree] [data-part=name] a").all();
    expect(await Promise.all(links.map((link) => link.getAttribute("href")))).toEqual([
      "https://example.com/?a=1&b=2",
    ]);
    expect(await dangers(device)).toEqual([]);
    // Chromium reports the styles, and from 156 on the handlers, even of a document that is never shown.
    const reported = device.problems.splice(0);
    const isOfReading = (problem: string): boolean =>
      /^(?:Applying inline style|Executing inline event handler) violates/.test(problem);
    expect(reported.filter((problem) => !isOfReading(problem))).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(device.network.url))).toEqual([]);
    // The same after the round trip through the server, on a device that did not paste it.
    await device.reaches("saved");
    const other = await beside();
    await expect.poll(async () => (await other.rows()).length, SOON).toBe(12);
    expect(await dangers(other)).toEqual([]);
    expect(other.problems).toEqual([]);
  });

  test("2,000 lines: all of them, in their order, and the page stays small", async () => {
    const { device, lineOf, stored } = await stage.desk("start");
    await device.focus(lineOf("start"));
    await device.press("Enter");
    const lines = Array.from({ length: 2_000 }, (_, at) => `${"  ".repeat(at % 4)}line ${at}`);
    await device.paste({ "text/plain": lines.join("\n") });
    await expect
      .poll(() => device.page.locator("[role=treeitem]").count(), SOON)
      .toBeGreaterThan(10);
    // What was just pasted takes a frame to show in the status.
    await expect.poll(stored, SOON).toEqual(["start", ...lines]);
    await device.reaches("saved");
    expect(await device.page.locator("[role=treeitem]").count()).toBeLessThanOrEqual(70);
    // One step of the history.
    await device.press("Control+z");
    await expect
      .poll(async () => (await stored()).filter((name) => name !== ""), SOON)
      .toEqual(["start"]);
  });
});

describe("long texts", () => {
  test("a name of 100 KB comes from REST, is edited, and goes back", async () => {
    const long = "all work and no play ".repeat(5000).trim();
    const { device, lineOf, stored } = await stage.desk(long);
    await device.shows([long]);
    await device.focus(lineOf(long), "Home");
    await device.press("Control+End");
    await device.type(" makes Jack");
    await device.shows([`${long} makes Jack`]);
    await device.reaches("saved");
    expect(await stored()).toEqual([`${long} makes Jack`]);
  });

  test("a line of 100 KB is pasted", async () => {
    const { device, lineOf, stored } = await stage.desk("start");
    await device.focus(lineOf("start"));
    const long = "0123456789".repeat(10_000);
    await device.paste({ "text/plain": long });
    await expect.poll(async () => (await stored()).join(""), SOON).toContain(long);
    await device.reaches("saved");
  });
});

describe("a document that another client filled with nonsense", () => {
  /** What the server lets pass: it judges types and sizes, not sense. */
  function writeNonsense({ doc, outline }: StockClient): void {
    const nodes = nodesOf(doc);
    const [good, ring1, ring2] = ["good", "ring 1", "ring 2"].map((name) => {
      const made = outline.create({ parent: ROOT, position: "bottom", name });
      if (made.kind !== "created") throw new Error("no node was created");
      return made.key;
    });
    if (good === undefined || ring1 === undefined || ring2 === undefined) throw new Error("none");
    doc.transact(() => {
      const text = nodes.get(good);
      text?.insert(0, "\u202E\u0007<img src=x onerror=alert(1)>", { b: true, unheardof: "x" });
      text?.setAttribute("l", "no-such-layout");
      text?.setAttribute("unknown", "kept");
      const below = (parent: NodeKey) => encodePlacement({ parent, order: "V", createdAt: 1 });
      nodes.get(ring1)?.setAttribute("p", below(ring2));
      nodes.get(ring2)?.setAttribute("p", below(ring1));
      nodes.set("ffffffffff01", new Y.Text("no place at all"));
      const unreadable = new Y.Text("unreadable place");
      nodes.set("ffffffffff02", unreadable);
      unreadable.setAttribute("p", "?".repeat(40));
      const orphan = new Y.Text("orphan");
      nodes.set("ffffffffff03", orphan);
      orphan.setAttribute("p", below("ffffffffffff" as NodeKey));
    });
  }

  test("is shown as far as it makes sense, and can be edited", async () => {
    const { server } = stage;
    const key = await stage.person();
    const line = await server.create("start", undefined, key);
    const device = await stage.device(key);
    await device.reaches("saved");
    const stranger = connectStockClient(server.url, key);
    try {
      await vi.waitFor(() => expect(stranger.outline.has(line as NodeKey)).toBe(true), SOON);
      writeNonsense(stranger);
      const names = async (): Promise<string> => (await device.sketch()).join("\n");
      await expect.poll(names, SOON).toContain("good");
      await expect.poll(names, SOON).toContain("<img src=x onerror=alert(1)>");
      expect(await dangers(device)).toEqual([]);

      await device.focus(line);
      await device.type(" goes on");
      await device.press("Enter");
      await device.type("and on");
      await device.reaches("saved");
      await device.reload();
      await expect.poll(names, SOON).toContain("start goes on");
      expect(await names()).toContain("and on");
      expect(stranger.closeCodes).toEqual([]);
    } finally {
      stranger.leave();
    }
  });
});
