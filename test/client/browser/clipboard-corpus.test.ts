import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { ListedNode } from "../support/app-server.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

/** See the README there. */
const FOLDER = new URL("../../fixtures/clipboards/", import.meta.url);
const SECTION = /^=== (?<name>\S+)\n/m;

/** A file of the corpus: what is on the clipboard by type, and what it becomes. */
function sectionsOf(text: string): ReadonlyMap<string, string> {
  const [, ...parts] = text.split(SECTION);
  const sections = new Map<string, string>();
  for (let at = 0; at < parts.length; at += 2) {
    sections.set(parts[at] ?? "", (parts[at + 1] ?? "").replace(/\n$/, ""));
  }
  return sections;
}

/** What is below a line, as a person can check it: layout and completion behind names, notes below, and links by the names of their lines. */
function readable(nodes: readonly ListedNode[], root: string): string {
  const lines: string[] = [];
  const write = (parent: string, indent: string): void => {
    const children = nodes.filter(({ parent_id: above }) => above?.endsWith(parent) === true);
    for (const node of children.toSorted((a, b) => a.priority - b.priority)) {
      const { layoutMode } = node.data;
      const marks = [
        ...(layoutMode === "bullets" ? [] : [layoutMode]),
        ...(node.completed ? ["done"] : []),
      ];
      const linked = node.name.replaceAll(/#\/([0-9a-f]{12})/g, (_, key: string) => {
        return `#/${nodes.find(({ id }) => id.endsWith(key))?.name}`;
      });
      const name = linked.replaceAll("\n", `\n${indent}  ⏎ `);
      lines.push(`${indent}${name}${marks.length > 0 ? ` {${marks.join(", ")}}` : ""}`);
      for (const line of node.note?.split("\n") ?? []) lines.push(`${indent}  | ${line}`);
      write(node.id, `${indent}  `);
    }
  };
  write(root, "");
  return lines.join("\n");
}

test("[W270] what other programs copy and export keeps its levels, tasks, formats, links and notes", async () => {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith(".txt"));
  expect(files.length).toBeGreaterThan(20);
  const key = await stage.person();
  const lines = new Map<string, string>();
  for (const file of files) lines.set(file, await stage.server.create(file, undefined, key));
  const device = await stage.device(key);
  // As many as are in sight; all of them have come together.
  await expect.poll(async () => (await device.rows()).length, SOON).toBeGreaterThan(20);
  const wanted: Record<string, string> = {};
  for (const [file, line] of lines) {
    const sections = sectionsOf(await readFile(new URL(file, FOLDER), "utf8"));
    wanted[file] = sections.get("outline") ?? "";
    // Each into a line of its own that is looked into, as into an empty outline.
    await device.page.evaluate((each) => void (location.hash = `#/${each}`), line);
    await device.page.locator(`.outliner [data-part=add]`).click();
    await device.paste(Object.fromEntries([...sections].filter(([type]) => type !== "outline")));
    await expect.poll(async () => (await device.rows()).length, SOON).toBeGreaterThan(0);
  }
  // The page may say that all is saved before the last one is read.
  const stored = async (): Promise<Record<string, string>> => {
    const nodes = await stage.server.everything(key);
    return Object.fromEntries([...lines].map(([file, line]) => [file, readable(nodes, line)]));
  };
  await expect.poll(stored, SOON).toEqual(wanted);
});
