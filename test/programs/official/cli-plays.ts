import { once } from "node:events";
import { expect, vi } from "vitest";
import { inputOfDocEdit } from "../cli-commands.ts";
import type { Places } from "../recorded.ts";
import type { Person } from "./official-test.ts";
import { ACCOUNT, type Wf } from "./wf.ts";

interface Hand {
  readonly wf: Wf;
  readonly person: Person;
  readonly at: Places;
}

/** After a copy of the outline was made. */
const withCopy =
  (lines: string) =>
  async ({ wf }: Hand) => {
    await wf.sync();
    await wf.runAll(lines);
  };

/** How what is more than lines is done. */
export const PLAYS: Readonly<Record<string, (hand: Hand) => Promise<unknown>>> = {
  "login --stdin": async ({ wf, person }) => {
    await wf.write("config.json", {});
    await wf.run("login --stdin", person.key);
  },
  "export @work --format markdown": withCopy("export @work --format markdown"),
  "watch:start --interval 1s": async ({ wf, person }) => {
    const watch = wf.start("watch:start --interval 1s");
    await vi.waitFor(() => expect(person.sent()).toHaveLength(2), { timeout: 30_000 });
    watch.kill();
    await once(watch, "close");
  },
  "cache:diff": withCopy("cache:diff"),
  "move OTHER @work --position bottom": withCopy("move OTHER @work --position bottom"),
  batch: async ({ wf, at: { projects, paint, dig, kitchen } }) =>
    wf.run(
      "batch",
      JSON.stringify([
        { op: "add", to: projects.tag, text: "B1 #bt", type: "todo" },
        { op: "uncomplete", ref: paint.tag },
        { op: "move", ref: dig.tag, to: kitchen.tag, position: "bottom" },
        { op: "capture", target: projects.tag, text: "B2", position: "bottom" },
      ]),
    ),
  "doc:edit PROJECTS, read PROJECTS --live --depth 9": async ({ wf, at }) => {
    await wf.sync();
    await wf.run("doc:edit PROJECTS", JSON.stringify(inputOfDocEdit(at)));
    await wf.run("read PROJECTS --live --depth 9");
  },
  "bulk complete --filter type:todo": withCopy("bulk complete --filter type:todo"),
  "bulk delete --filter type:h2 --yes": withCopy("bulk delete --filter type:h2 --yes"),
  "bulk move --since 1d --target OTHER --to GARDEN": withCopy(
    "bulk move --since 1d --target OTHER --to GARDEN",
  ),
  "template apply daily --to OTHER": async ({ wf }) => {
    const read = { name: "read", type: "todo" };
    const quote = { name: "a line", type: "quote-block" };
    const day = {
      name: "Day",
      note: "as always",
      type: "h1",
      children: [read, quote, { name: "b" }],
    };
    await wf.write("templates/daily.json", { name: "daily", nodes: [day], created_at: "" });
    await wf.run("template apply daily --to OTHER");
  },
  "ai:apply": async ({ wf, at: { projects, garden, dig, kitchen } }) => {
    await wf.write(`proposals/${ACCOUNT}/tidy.json`, {
      id: "tidy",
      operations: [
        { op: "move", ref: dig.tag, from: garden.tag, under: kitchen.tag },
        { op: "update", ref: garden.tag, text: "Garden, sorted" },
        { op: "insert", under: projects.tag, text: "Summary", note: "by a model" },
      ],
    });
    await wf.run("ai:apply");
  },
};
