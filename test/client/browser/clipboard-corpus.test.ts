import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { ListedNode } from "../support/app-server.ts";
import { eventually, SOON } from "../support/eventually.ts";
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

/** An outline as a person can check it: layout and completion behind the name, notes below it. */
function readable(nodes: readonly ListedNode[]): string {
  const lines: string[] = [];
  const write = (parent: string | null, indent: string): void => {
    const children = nodes.filter((node) => node.parent_id === parent);
    for (const node of children.toSorted((a, b) => a.priority - b.priority)) {
      const { layoutMode } = node.data;
      const marks = [
        ...(layoutMode === "bullets" ? [] : [layoutMode]),
        ...(node.completed ? ["done"] : []),
      ];
      const name = node.name.replaceAll("\n", `\n${indent}  ⏎ `);
      lines.push(`${indent}${name}${marks.length > 0 ? ` {${marks.join(", ")}}` : ""}`);
      for (const line of node.note?.split("\n") ?? []) lines.push(`${indent}  | ${line}`);
      write(node.id, `${indent}  `);
    }
  };
  write(null, "");
  return lines.join("\n");
}

test("[W270] what other programs copy and export keeps its levels, tasks, formats, links and notes", async () => {
  const key = await stage.person();
  await stage.server.create("demo", undefined, key);
  const device = await stage.device(key);
  await device.shows(["demo"]);
  await device.focus(await device.keyOf("demo"));
  const [wanted, seen] = [new Map<string, string>(), new Map<string, string>()];
  for (const file of (await readdir(FOLDER)).filter((name) => name.endsWith(".txt"))) {
    const sections = sectionsOf(await readFile(new URL(file, FOLDER), "utf8"));
    const outline = sections.get("outline") ?? "";
    await device.press("Control+a", "Control+a", "Control+a", "Backspace");
    await device.shows([]);
    const types = [...sections].filter(([type]) => type.startsWith("text/"));
    await device.paste(Object.fromEntries(types));
    const read = async (): Promise<string> => readable(await stage.server.everything(key));
    await expect.poll(async () => (await device.rows()).length, SOON).toBeGreaterThan(0);
    await device.reaches("saved");
    await eventually(read, (text) => expect(text).toBe(outline)).catch(() => undefined);
    wanted.set(file, outline);
    seen.set(file, await read());
    await device.press("Control+a");
  }
  expect(seen.size).toBeGreaterThan(20);
  expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(wanted));
});
