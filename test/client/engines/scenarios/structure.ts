import { describe, expect, test } from "vitest";
import { SOON } from "../../support/eventually.ts";
import type { EngineStage } from "../engine-stage.ts";

export function structure(stage: EngineStage): void {
  describe("structure", () => {
    test("[W41] Tab puts a line below the one above it, Shift+Tab takes it out; the caret stays", async () => {
      const desk = await stage.desk("one", "two");
      const { device } = desk;
      const two = desk.lineOf("two");
      await device.focus(two);
      await device.press("Tab");
      await device.shows(["one", "  two"]);
      await device.type("!");
      await device.press("Shift+Tab");
      await device.type("?");
      await device.shows(["one", "two!?"]);
      expect(await device.caret()).toMatchObject({ key: two, at: "two!?".length });
    });

    test("[W42, W48] moving, folding and zooming by key", async () => {
      const desk = await stage.desk("one", "  below", "two");
      const { device } = desk;
      await device.focus(desk.lineOf("two"));
      await device.press("Alt+Shift+ArrowUp");
      await device.shows(["two", "one", "  below"]);
      await device.focus(desk.lineOf("one"));
      await device.press("Control+ArrowUp");
      await device.shows(["two", "one"]);
      await device.press("Control+ArrowDown");
      await device.shows(["two", "one", "  below"]);
      await device.press("Alt+ArrowRight");
      await device.shows(["below"]);
      await device.press("Alt+ArrowLeft");
      await device.shows(["two", "one", "  below"]);
    });

    test("[W43, W46] completing and deleting by key", async () => {
      const desk = await stage.desk("one", "two", "three");
      const { device } = desk;
      await device.focus(desk.lineOf("one"));
      await device.press("Control+Enter");
      await expect.poll(async () => (await device.rows())[0]?.isCompleted, SOON).toBe(true);
      await device.focus(desk.lineOf("two"));
      await device.press("Control+Shift+Backspace");
      await device.shows(["one", "three"]);
      expect(await device.caret()).toMatchObject({ key: desk.lineOf("one") });
    });

    test("[W50] the mouse that is dragged over lines selects them", async () => {
      const desk = await stage.desk("one", "two", "three", "four");
      const { device } = desk;
      const middle = (name: string) =>
        device.middle(`[data-key="${desk.lineOf(name)}"] [data-part=name]`);
      await device.drag(await middle("two"), await middle("three"), await middle("four"));
      const selected = async () =>
        (await device.rows()).filter(({ isSelected }) => isSelected).map(({ name }) => name);
      await expect.poll(selected, SOON).toEqual(["two", "three", "four"]);
      await device.press("Backspace");
      await device.shows(["one"]);
    });

    test("[W45] a line is dragged by its bullet below another", async () => {
      const desk = await stage.desk("one", "two", "three");
      const { device } = desk;
      const bullet = (name: string) =>
        device.middle(`[data-key="${desk.lineOf(name)}"] [data-part=bullet]`);
      const from = await bullet("three");
      const to = await bullet("one");
      const half = (await bullet("two")).y - to.y;
      await device.drag(
        from,
        { x: from.x + 4, y: from.y - 8 },
        { x: to.x + 2, y: to.y + half / 2 - 2 },
        { x: to.x + 1, y: to.y + half / 2 - 2 },
      );
      await device.shows(["one", "three", "two"]);
      await expect.poll(desk.stored, SOON).toEqual(["one", "three", "two"]);
    });
  });
}
