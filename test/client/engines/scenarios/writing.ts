import { describe, expect, test } from "vitest";
import { SOON } from "../../support/eventually.ts";
import type { EngineStage } from "../engine-stage.ts";

export function writing(stage: EngineStage): void {
  describe("writing", () => {
    test("[W102] the first line of an empty outline is there to be typed into, and undo gives it back", async () => {
      const desk = await stage.desk("demo");
      const { device } = desk;
      await device.focus(desk.lineOf("demo"));
      await device.press("Control+a", "Control+a", "Control+a", "Backspace");
      await device.shows([]);
      await device.type("a");
      await device.shows(["a"]);
      await device.press("Control+z");
      await device.shows([]);
      await device.press("Control+Shift+z");
      await device.shows(["a"]);
      await device.press("Control+z");
      await device.shows([]);
      await device.type("my first thought");
      await device.press("Enter");
      await device.type("and another");
      await device.shows(["my first thought", "and another"]);
      await expect.poll(desk.stored, SOON).toEqual(["my first thought", "and another"]);
    });

    test("[W102, W430] a click beside the lines loses no letter, with lines and without", async () => {
      const desk = await stage.desk("demo");
      const { device } = desk;
      const blank = async () => {
        const { x } = await device.middle("[data-part=add]");
        await device.drag({ x: x + 120, y: 500 });
      };
      await device.focus(desk.lineOf("demo"));
      await blank();
      await device.type("1");
      await device.shows(["demo1"]);
      await device.click("button[aria-label=Places]");
      await device.type("2");
      await device.shows(["demo12"]);
      await device.press("Control+a", "Control+a", "Control+a", "Backspace");
      await device.shows([]);
      await blank();
      await device.type("no");
      await device.shows(["no"]);
      await device.press("Control+a", "Control+a", "Control+a", "Backspace");
      await device.shows([]);
      await device.click("button[aria-label=Places]");
      await device.type("thing lost");
      await device.shows(["thing lost"]);
    });

    test("[W431] a click beside selected lines puts the caret back into the last of them", async () => {
      const desk = await stage.desk("one", "two");
      const { device } = desk;
      await device.focus(desk.lineOf("two"));
      await device.press("Shift+ArrowUp", "Shift+ArrowUp");
      const { x } = await device.middle("[data-part=add]");
      await device.drag({ x: x + 120, y: 500 });
      await device.type("!");
      await device.shows(["one!", "two"]);
    });

    test("[W1, W271] letters go to where the caret is, in the middle too", async () => {
      const desk = await stage.desk("one three");
      const { device } = desk;
      const line = desk.lineOf("one three");
      await device.focus(line, "Home");
      await device.press("ArrowRight", "ArrowRight", "ArrowRight");
      await device.type(" two, ä 𝄞 日");
      await device.shows(["one two, ä 𝄞 日 three"]);
      expect(await device.caret()).toMatchObject({ key: line, at: "one two, ä 𝄞 日".length });
      await device.press("Backspace", "Backspace", "Backspace");
      await device.shows(["one two, ä  three"]);
      await expect.poll(desk.stored, SOON).toEqual(["one two, ä  three"]);
    });

    test("[W8] markdown becomes a format while it is typed", async () => {
      const desk = await stage.desk("");
      const { device } = desk;
      await device.focus(desk.lineOf(""));
      await device.type("a **bold** word and `code` #tag ");
      await device.shows(["a bold word and code #tag "]);
      await expect
        .poll(desk.stored, SOON)
        .toEqual(["a <b>bold</b> word and <code>code</code> #tag "]);
    });

    test("[W37, W39] Enter cuts a line, Backspace joins it again", async () => {
      const desk = await stage.desk("one two");
      const { device } = desk;
      await device.focus(desk.lineOf("one two"), "Home");
      await device.press("ArrowRight", "ArrowRight", "ArrowRight", "Enter");
      await device.shows(["one", " two"]);
      expect(await device.caret()).toMatchObject({ at: 0 });
      await device.press("Backspace");
      await device.shows(["one two"]);
      expect(await device.caret()).toMatchObject({ at: 3 });
    });

    test("[W44] a note is written below its line", async () => {
      const desk = await stage.desk("one");
      const { device } = desk;
      await device.focus(desk.lineOf("one"));
      await device.press("Shift+Enter");
      await device.type("its note");
      await device.press("Enter");
      await device.type("goes on");
      await device.press("Shift+Enter");
      await device.type("!");
      await expect
        .poll(async () => (await device.rows()).map(({ name, note }) => ({ name, note })), SOON)
        .toEqual([{ name: "one!", note: "its note\ngoes on" }]);
    });

    test("[W48, W290] back out of a line without lines below gives the caret back", async () => {
      const desk = await stage.desk("one", "two");
      const { device } = desk;
      const two = desk.lineOf("two");
      await device.focus(two);
      await device.click(`[data-key="${two}"] [data-part=bullet]`);
      await device.shows([]);
      expect(await device.run(() => document.activeElement?.ariaLabel, null)).toBe("Title");
      await device.run(() => history.back(), null);
      await device.shows(["one", "two"]);
      await expect.poll(() => device.caret(), SOON).toMatchObject({ key: two, at: 3 });
      await device.type("!");
      await device.shows(["one", "two!"]);
    });

    test("[W7, W47] undo and redo, by key", async () => {
      const desk = await stage.desk("one");
      const { device } = desk;
      await device.focus(desk.lineOf("one"));
      // A letter each: how long a machine takes between letters makes no difference.
      await device.type("!");
      await device.press("Enter");
      await device.type("2");
      await device.shows(["one!", "2"]);
      await device.press("Control+z", "Control+z");
      await device.shows(["one!"]);
      await device.press("Control+Shift+z", "Control+Shift+z");
      await device.shows(["one!", "2"]);
    });
  });
}
