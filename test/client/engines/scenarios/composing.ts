import { describe, expect, test } from "vitest";
import { SOON } from "../../support/eventually.ts";
import type { EngineStage } from "../engine-stage.ts";

export function composing(stage: EngineStage): void {
  describe("an input method", () => {
    test("[W4] what is composed is written once, with what was chosen", async () => {
      const desk = await stage.desk("hello");
      const { device } = desk;
      await device.focus(desk.lineOf("hello"));
      await device.inputMethod.begin();
      await device.inputMethod.choose("日");
      await device.type("!");
      await device.shows(["hello日!"]);
      await expect.poll(desk.stored, SOON).toEqual(["hello日!"]);
    });

    test("[W4] what is composed when the page is left is written", async () => {
      const desk = await stage.desk("hello");
      const { device } = desk;
      await device.focus(desk.lineOf("hello"));
      await device.inputMethod.begin();
      const [shown] = await device.sketch();
      await device.reload();
      await device.shows([shown ?? ""]);
      expect(shown).not.toBe("hello");
      await expect.poll(desk.stored, SOON).toEqual([shown]);
    });

    test("[W4] what others write during a composition is kept", async () => {
      const desk = await stage.desk("hello", "witness");
      const { device } = desk;
      const line = desk.lineOf("hello");
      await device.focus(line);
      await device.inputMethod.begin();
      await desk.rename(line, "they say hello");
      await desk.rename(desk.lineOf("witness"), "the witness");
      await expect.poll(async () => (await device.rows())[1]?.name, SOON).toBe("the witness");
      await device.inputMethod.choose("日");
      await device.shows(["they say hello日", "the witness"]);
      expect(await device.caret()).toMatchObject({ key: line, at: "they say hello日".length });
    });
  });
}
