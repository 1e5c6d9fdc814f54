import { describe, expect, test } from "vitest";
import type { ListedNode } from "../support/app-server.ts";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

describe("two devices of one person", () => {
  test("type into the same line at once: all of it is there, and each caret keeps its place", async () => {
    const { device: anna, lineOf, beside, stored } = await stage.desk("and");
    const [line, ben] = [lineOf("and"), await beside()];
    await anna.focus(line, "Home");
    await ben.focus(line, "End");

    await Promise.all([anna.type("Anna writes this "), ben.type(" Ben writes that")]);
    const both = "Anna writes this and Ben writes that";
    for (const device of [anna, ben]) await device.shows([both]);
    const place = { key: line, part: "name" };
    expect(await anna.caret()).toEqual({ ...place, at: "Anna writes this ".length });
    expect(await ben.caret()).toEqual({ ...place, at: both.length });

    // In turns: what one types moves the other's caret along with the text around it.
    await anna.type("here ");
    await ben.shows(["Anna writes this here and Ben writes that"]);
    await ben.type("!");
    await anna.shows(["Anna writes this here and Ben writes that!"]);
    await anna.type("too ");
    await ben.shows(["Anna writes this here too and Ben writes that!"]);
    await anna.reaches("saved");
    await ben.reaches("saved");
    expect(await stored()).toEqual(["Anna writes this here too and Ben writes that!"]);
  });

  test("delete and write around each other's caret", async () => {
    const { device: anna, lineOf, beside } = await stage.desk("one two three");
    const [line, ben] = [lineOf("one two three"), await beside()];
    await ben.focus(line, "End");
    await anna.focus(line, "Home");
    // Anna takes "one " away, in front of Ben's caret.
    await anna.press("Delete", "Delete", "Delete", "Delete");
    await ben.shows(["two three"]);
    expect(await ben.caret()).toEqual({ key: line, part: "name", at: "two three".length });
    await ben.press("Backspace");
    await anna.shows(["two thre"]);
    expect(await anna.caret()).toEqual({ key: line, part: "name", at: 0 });
  });

  test("[W3] a line that another moves, and writes in, keeps the caret and what is selected", async () => {
    const { key, device: anna, lineOf } = await stage.desk("one", "two", "three");
    const line = lineOf("three");
    const move = (name: string, position: string) =>
      stage.server.call(
        "POST",
        "batch",
        {
          operations: [
            { op: "update", id: line, name },
            { op: "move", id: line, parent_id: "None", position },
          ],
        },
        key,
      );
    await anna.focus(line);
    await move("and three", "top");
    await anna.shows(["and three", "one", "two"]);
    await anna.type("!");
    await anna.shows(["and three!", "one", "two"]);
    await anna.press("Shift+ArrowLeft", "Shift+ArrowLeft");
    await anna.reaches("saved");
    await move("so and three!", "bottom");
    await anna.shows(["one", "two", "so and three!"]);
    await anna.type("s");
    await anna.shows(["one", "two", "so and thres"]);
  });
});

describe("a dialog about a place in a text, while another device writes there", () => {
  const written = "Ben was here: ";

  test("[W89] goes by the characters: a date, a link, the caret that comes back", async () => {
    const { device: anna, lineOf, beside, stored } = await stage.desk("due [2026-12-24] on site");
    const [line, ben] = [lineOf("due [2026-12-24] on site"), await beside()];
    await ben.focus(line);
    const dialog = anna.page.getByRole("dialog");
    const write = async (): Promise<void> => {
      await dialog.waitFor();
      const before = (await anna.sketch())[0] ?? "";
      await ben.press("Home");
      await ben.type(written);
      await anna.shows([written + before]);
    };
    await anna.row(line).locator("time").click();
    await write();
    await anna.type("2026-12-31");
    await anna.press("Enter");
    await anna.shows([`${written}due Thu, Dec 31, 2026 on site`]);

    await anna.press("End", "Control+Shift+ArrowLeft", "Control+Shift+k");
    await write();
    await anna.type("https://a.example/");
    await anna.press("Enter");
    const due = '<time startYear="2026" startMonth="12" startDay="31">Thu, Dec 31, 2026</time>';
    await expect
      .poll(stored, SOON)
      .toEqual([`${written}${written}due ${due} on <a href="https://a.example/">site</a>`]);

    await anna.press("Home", "ArrowRight", "Control+k");
    await write();
    await anna.press("Escape");
    await expect
      .poll(() => anna.caret(), SOON)
      .toEqual({ key: line, part: "name", at: written.length + 1 });
  });

  test("[W89] says so when the characters are gone, and takes no others", async () => {
    const { device: anna, lineOf, beside } = await stage.desk("due [2026-12-24] tail");
    const [line, ben] = [lineOf("due [2026-12-24] tail"), await beside()];
    await anna.row(line).locator("time").click();
    await anna.page.getByRole("dialog").waitFor();
    await ben.focus(line, "Home");
    await ben.press("Control+Delete");
    await ben.press("Control+a");
    await ben.type("all new");
    await anna.shows(["all new"]);
    await anna.type("2026-12-31");
    await anna.press("Enter");
    await anna.page.getByText("The text that this was for is no longer there.").first().waitFor();
    expect(await anna.sketch()).toEqual(["all new"]);
  });
});

describe("an open client and REST", () => {
  test("what REST writes appears in the client, wherever it is", async () => {
    const { key, device, lineOf } = await stage.desk("first");
    const { server } = stage;
    const first = lineOf("first");

    const child = await server.create("below", first, key, { note: "with a note" });
    const second = await server.create("second", undefined, key);
    await device.shows(["first", "  below", "second"]);
    expect((await device.rows())[1]).toMatchObject({ key: child, note: "with a note" });

    await server.call("POST", `nodes/${first}`, { name: "first, renamed" }, key);
    await server.call("POST", `nodes/${second}/complete`, undefined, key);
    await server.call("POST", `nodes/${child}/move`, { parent_id: second }, key);
    await device.shows(["first, renamed", "second", "  below"]);
    await expect.poll(async () => (await device.rows())[1]?.isCompleted, SOON).toBe(true);

    await server.call("DELETE", `nodes/${second}`, undefined, key);
    await device.shows(["first, renamed"]);
  });

  test("what is done in the client appears in REST", async () => {
    const { key, device, lineOf, stored } = await stage.desk("first");
    const first = lineOf("first");
    await device.focus(first);
    await device.press("Enter");
    await device.type("below");
    await device.press("Tab", "Enter");
    await device.type("done");
    await device.press("Control+Enter", "Shift+Enter");
    await device.type("its note");
    await device.reaches("saved");

    const shown = (await stage.server.everything(key)).map(
      ({ id, parent_id, name, note, completed }) => ({
        name,
        note,
        completed,
        parent: parent_id?.slice(-12) ?? null,
        key: id.slice(-12),
      }),
    );
    const byName = (name: string) => shown.find((node) => node.name === name);
    const plain = { note: null, completed: false };
    expect(shown).toHaveLength(3);
    expect(byName("first")).toEqual({ ...plain, name: "first", parent: null, key: first });
    expect(byName("below")).toMatchObject({ ...plain, parent: first });
    expect(byName("done")).toMatchObject({ note: "its note", completed: true, parent: first });
    expect(await stored()).toEqual(["first", "  below", "  done"]);
  });

  test("a text that REST replaces keeps what is being typed into it", async () => {
    const { key, device, lineOf, stored } = await stage.desk("buy milk");
    const { server } = stage;
    const line = lineOf("buy milk");
    await device.focus(line);
    await device.type(" today");
    await device.reaches("saved");
    await server.call("POST", `nodes/${line}`, { name: "buy oat milk today" }, key);
    await device.shows(["buy oat milk today"]);
    await device.type("!");
    await expect.poll(stored, SOON).toEqual(["buy oat milk today!"]);
    const { body } = await server.call("GET", `nodes/${line}`, undefined, key);
    expect((body as { node: ListedNode }).node.name).toBe("buy oat milk today!");
  });
});
