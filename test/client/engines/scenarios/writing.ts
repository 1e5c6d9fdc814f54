import { describe, expect, test } from "vitest";
import { SOON } from "../../support/eventually.ts";
import type { EngineStage } from "../engine-stage.ts";

export function writing(stage: EngineStage): void {
  describe("writing", () => {
    test("[W102] the first line of an empty outline is there to be typed into", async () => {
      const person = await stage.person("demo");
      const device = await stage.device(person);
      await device.focus(person.lineOf("demo"));
      await device.press("Control+a", "Control+a", "Control+a", "Backspace");
      await device.shows([]);
      await device.type("my first thought");
      await device.press("Enter");
      await device.type("and another");
      await device.shows(["my first thought", "and another"]);
      await expect
        .poll(() => stage.server.sketch(person.key), SOON)
        .toEqual(["my first thought", "and another"]);
    });

    test("[W1, W271] letters go to where the caret is, in the middle too", async () => {
      const person = await stage.person("one three");
      const device = await stage.device(person);
      const line = person.lineOf("one three");
      await device.focus(line, "Home");
      await device.press("ArrowRight", "ArrowRight", "ArrowRight");
      await device.type(" two, ä 𝄞 日");
      await device.shows(["one two, ä 𝄞 日 three"]);
      expect(await device.caret()).toMatchObject({ key: line, at: "one two, ä 𝄞 日".length });
      await device.press("Backspace", "Backspace", "Backspace");
      await device.shows(["one two, ä  three"]);
      await expect.poll(() => stage.server.sketch(person.key), SOON).toEqual(["one two, ä  three"]);
    });

    test("[W8] markdown becomes a format while it is typed", async () => {
      const person = await stage.person("");
      const device = await stage.device(person);
      await device.focus(person.lineOf(""));
      await device.type("a **bold** word and `code` #tag ");
      await device.shows(["a bold word and code #tag "]);
      await expect
        .poll(() => stage.server.sketch(person.key), SOON)
        .toEqual(["a <b>bold</b> word and <code>code</code> #tag "]);
    });

    test("[W37, W39] Enter cuts a line, Backspace joins it again", async () => {
      const person = await stage.person("one two");
      const device = await stage.device(person);
      await device.focus(person.lineOf("one two"), "Home");
      await device.press("ArrowRight", "ArrowRight", "ArrowRight", "Enter");
      await device.shows(["one", " two"]);
      expect(await device.caret()).toMatchObject({ at: 0 });
      await device.press("Backspace");
      await device.shows(["one two"]);
      expect(await device.caret()).toMatchObject({ at: 3 });
    });

    test("[W44] a note is written below its line", async () => {
      const person = await stage.person("one");
      const device = await stage.device(person);
      await device.focus(person.lineOf("one"));
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

    test("[W7, W47] undo and redo, by key", async () => {
      const person = await stage.person("one");
      const device = await stage.device(person);
      await device.focus(person.lineOf("one"));
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
