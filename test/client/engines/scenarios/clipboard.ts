import { describe, expect, test } from "vitest";
import { SOON } from "../../support/eventually.ts";
import type { EngineStage } from "../engine-stage.ts";

export function clipboard(stage: EngineStage): void {
  describe("selection and the real clipboard", () => {
    test("[W50, W101] selected lines are copied, cut and pasted with the keys for it", async () => {
      const desk = await stage.desk("one", "  below", "two", "  deep", "three");
      const { device } = desk;
      await device.focus(desk.lineOf("one"));
      await device.press("Shift+ArrowDown", "Control+c");
      await device.focus(desk.lineOf("three"));
      await device.press("Control+v");
      await device.shows(["one", "  below", "two", "  deep", "three", "one", "  below"]);
      await device.focus(desk.lineOf("two"));
      await device.press("Shift+ArrowDown", "Control+x");
      await device.shows(["one", "  below", "three", "one", "  below"]);
      await device.focus(desk.lineOf("below"));
      await device.press("Control+v");
      await device.shows(["one", "  below", "  two", "    deep", "three", "one", "  below"]);
    });

    test("[W55, W63, W64] selected words are copied with their formats, and pasted without when asked", async () => {
      const desk = await stage.desk("a **bold** word", "into");
      const { device } = desk;
      await device.focus(desk.lineOf("a **bold** word"));
      await device.press("Shift+Home", "Control+c");
      await device.focus(desk.lineOf("into"));
      await device.press("Control+v", "Enter", "Control+Shift+v");
      await device.shows(["a bold word", "intoa bold word", "a bold word"]);
      await expect
        .poll(desk.stored, SOON)
        .toEqual(["a <b>bold</b> word", "intoa <b>bold</b> word", "a bold word"]);
    });
  });
}
