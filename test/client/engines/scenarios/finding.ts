import { describe, expect, test } from "vitest";
import { SOON } from "../../support/eventually.ts";
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
      await device.type("!");
      await device.shows(["shop", "  buy milk", "home", "  call Ben!"]);
      expect(await device.caret()).toMatchObject({ key: desk.lineOf("call Ben") });
    });

    test("[W106] it moves nothing when it is opened, and gives back the place", async () => {
      const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
      const desk = await stage.desk(...lines.slice(0, 12));
      const { device } = desk;
      const line = desk.lineOf("line 12");
      for (const name of lines.slice(12)) await desk.add(name);
      await device.focus(line);
      await device.run(() => scrollTo(0, 150), null);
      const top = () =>
        device.run(async (key) => {
          // What scrolls in the next frame is done by then.
          for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
          const row = document.querySelector(`[data-key="${key}"]`);
          return row && Math.round(row.getBoundingClientRect().top);
        }, line);
      const before = await top();
      for (const way of [
        () => device.press("Escape"),
        () => device.press("Control+f"),
        () => device.click("input[type=search]"),
      ]) {
        await way();
        await device.has("input[type=search]:focus");
        expect(await top()).toBe(before);
        await device.press("Escape");
        expect(await top()).toBe(before);
        expect(await device.caret()).toMatchObject({ key: line });
      }
      await device.press("Escape");
      await device.type("line 4");
      await expect.poll(async () => (await device.rows()).length, SOON).toBe(5);
      await device.press("Escape");
      await expect.poll(top, SOON).toBe(before);
      expect(await device.caret()).toMatchObject({ key: line });
    });
  });
}
