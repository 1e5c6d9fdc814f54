import { describe, expect, test } from "vitest";
import { SOON } from "../../support/eventually.ts";
import type { EngineStage } from "../engine-stage.ts";

export function mirrors(stage: EngineStage): void {
  describe("mirrors", () => {
    test("[W221, W420, W421, W422] a line in two places is written in either, opened in each for itself", async () => {
      const desk = await stage.desk("plan", "  book", "week");
      const { device } = desk;
      const plan = desk.lineOf("plan");
      await device.focus(plan);
      await device.press("Control+Shift+y");
      await device.shows(["plan", "  book", "plan", "  book", "week"]);
      const mirror = (await device.rows())[2]?.key ?? "";
      expect(await device.caret()).toMatchObject({ key: mirror, at: "plan".length });
      await device.type("!");
      await device.shows(["plan!", "  book", "plan!", "  book", "week"]);
      expect(await device.caret()).toMatchObject({ key: mirror, at: "plan!".length });

      // Into the copy, and a new line there: it is in both places, and the caret stays in the copy.
      await device.press("ArrowDown", "End");
      await device.type(" a room");
      await device.press("Enter");
      await device.type("pay");
      const below = ["  book a room", "  pay"];
      await device.shows(["plan!", ...below, "plan!", ...below, "week"]);
      const made = (await device.caret())?.key ?? "";
      expect(made.startsWith(mirror)).toBe(true);
      await device.press("Tab");
      const indented = ["  book a room", "    pay"];
      await device.shows(["plan!", ...indented, "plan!", ...indented, "week"]);
      expect(await device.caret()).toMatchObject({ key: made, at: "pay".length });
      await expect
        .poll(desk.stored, SOON)
        .toEqual(["plan!", "  book a room", "    pay", "plan!", "week"]);

      // Closed in one place alone, and gone alone.
      await device.focus(mirror);
      await device.press("Control+ArrowUp");
      await device.shows(["plan!", ...indented, "plan!", "week"]);
      await device.press("Control+Shift+Backspace");
      await device.shows(["plan!", ...indented, "week"]);
      await expect.poll(desk.stored, SOON).toEqual(["plan!", ...indented, "week"]);
    });
  });
}
