import { describe, expect, test } from "vitest";
import { SOON } from "../../support/eventually.ts";
import type { EngineStage } from "../engine-stage.ts";

export function devices(stage: EngineStage): void {
  describe("devices and networks", () => {
    test("[W3] two devices write in one line at the same time", async () => {
      const desk = await stage.desk("middle");
      const anna = desk.device;
      const ben = await stage.beside(desk);
      const line = desk.lineOf("middle");
      await anna.focus(line, "Home");
      await ben.focus(line, "End");
      await Promise.all([anna.type("Anna and "), ben.type(" and Ben")]);
      for (const device of [anna, ben]) await device.shows(["Anna and middle and Ben"]);
      expect(await anna.caret()).toMatchObject({ key: line, at: "Anna and ".length });
      await expect.poll(desk.stored, SOON).toEqual(["Anna and middle and Ben"]);
    });

    test("[W87, W73] starts without a network, keeps what is written, and sends it later", async () => {
      const desk = await stage.desk("before");
      const { device } = desk;
      await device.focus(desk.lineOf("before"));
      await device.type("!");
      // The device has stored what it has sent, and what came before that.
      await expect.poll(desk.stored, SOON).toEqual(["before!"]);
      await device.installed();
      await device.network.refuse();
      await device.reload();
      await device.shows(["before!"]);
      await device.focus(desk.lineOf("before"));
      await device.press("Enter");
      await device.type("offline");
      await device.reaches("local");
      await device.reload();
      await device.shows(["before!", "offline"]);
      await device.comeBack();
      await device.reaches("saved");
      expect(await desk.stored()).toEqual(["before!", "offline"]);
    });
  });
}
