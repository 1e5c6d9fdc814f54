import { describe, expect, test } from "vitest";
import type { EngineStage } from "../engine-stage.ts";

export function finding(stage: EngineStage): void {
  describe("search", () => {
    test("[W35, W106] shows what matches; Escape goes back to the line", async () => {
      const desk = await stage.desk("shop", "  buy milk", "home", "  call Ben");
      const { device } = desk;
      await device.focus(desk.lineOf("call Ben"));
      await device.press("Escape");
      await device.type("milk");
      await device.shows(["shop", "  buy milk"]);
      await device.press("Escape");
      await device.shows(["shop", "  buy milk", "home", "  call Ben"]);
      await device.press("Escape");
      await device.type("!");
      await device.shows(["shop", "  buy milk", "home", "  call Ben!"]);
      expect(await device.caret()).toMatchObject({ key: desk.lineOf("call Ben") });
    });
  });
}
