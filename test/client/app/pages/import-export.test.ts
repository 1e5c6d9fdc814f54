import { expect, test } from "vitest";
import { exportOutline } from "../../../../client/app/dialogs/export-outline.ts";
import {
  formatOfText,
  readImport,
  textOfFile,
} from "../../../../client/app/dialogs/read-import.ts";
import { ROOT } from "../../../../src/core/node-key.ts";
import { OUTLINE_FORMATS, type OutlineFormat } from "../../../../src/formats/outline-format.ts";
import { startService } from "../../../support/service.ts";
import { keyOf, plant, shape } from "../../../support/outline-notation.ts";
import { testOutline } from "./test-outline.ts";

test.for(OUTLINE_FORMATS)("[W78] all of the outline as %s is read back", (format) => {
  const { outline } = testOutline();
  plant(outline, "a(b(c) d) e");
  expect(importedShape(exportOutline(outline, ROOT, format), format)).toBe("a(b(c) d) e");
});

test.for(OUTLINE_FORMATS)("[W78] a part as %s is that node with what is below it", (format) => {
  const { outline } = testOutline();
  const keys = plant(outline, "a(b(c) d) e");
  expect(importedShape(exportOutline(outline, keyOf(keys, "b"), format), format)).toBe("b(c)");
});

function importedShape(text: string, format: OutlineFormat): string {
  const { outline, edits } = testOutline({ seed: 2 });
  const read = readImport(text, format);
  if (read.kind === "broken") throw new Error(`${read.place}: ${read.reason}`);
  edits.insert(read.entries, { parent: ROOT, position: "bottom" });
  return shape(outline);
}

test("[W78] the JSON is what the API exports", async () => {
  const service = await startService();
  try {
    const made = await service.request("POST", "/api/v1/nodes", { name: "- [x] **done**" });
    const { item_id: parent } = made.body as { item_id: string };
    const child = { name: "child", note: "two\nlines", parent_id: parent };
    await service.request("POST", "/api/v1/nodes", child);
    const other = (await service.request("POST", "/api/v1/nodes", { name: "other" })).body;
    const { item_id: into } = other as { item_id: string };
    const mirror = await service.request("POST", `/api/v1/nodes/${parent}/mirror`, {
      parent_id: into,
    });
    expect(mirror.status).toBe(200);
    const exported = (await service.request("GET", "/api/v1/nodes-export")).body;
    const [user] = await service.accounts.listUsers();
    if (user === undefined) throw new Error("no user");
    const text = await service.documents.use(user.outline, (document) =>
      document.read((outline) => exportOutline(outline, ROOT, "json")),
    );
    expect(JSON.parse(text)).toEqual(exported);
  } finally {
    await service.close();
  }
});

test.for([
  ['<?xml version="1.0"?><opml/>', "opml"],
  ["<opml version='2.0'><body/></opml>", "opml"],
  ['{"nodes":[]}', "json"],
  ["[ ]", "json"],
  ["# Title\n\ntext", "markdown"],
  ["- a\n  - b", "markdown"],
  ["a **bold** word", "markdown"],
  ["plain\n\tindented", "text"],
  ["", "text"],
] as const)("[W79] %j is pasted as %s", ([text, format]) => {
  expect(formatOfText(text)).toBe(format);
});

test("[W79] a broken file is told with line and reason", () => {
  const broken = "<opml><body>\n<outline text='a'>\n</body></opml>";
  expect(readImport(broken, "opml")).toMatchObject({ kind: "broken", place: "line 3" });
  expect(readImport('{"nodes": [', "json")).toMatchObject({
    kind: "broken",
    reason: expect.stringMatching(/^no valid JSON/),
  });
});

test("[W79] a file is UTF-8 or UTF-16 with its mark, and nothing else", () => {
  const text = "naïve ✓";
  const units = [0xfeff, ...Array.from(text, (character) => character.charCodeAt(0))];
  const little = units.flatMap((unit) => [unit & 0xff, unit >> 8]);
  const big = units.flatMap((unit) => [unit >> 8, unit & 0xff]);
  expect(textOfFile(new TextEncoder().encode(text))).toBe(text);
  expect(textOfFile(Uint8Array.from(little))).toBe(text);
  expect(textOfFile(Uint8Array.from(big))).toBe(text);
  expect(textOfFile(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff))).toBe(undefined);
});
