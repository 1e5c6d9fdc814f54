import { describe, expect, test } from "vitest";
import { SOON } from "../../support/eventually.ts";
import type { EngineStage } from "../engine-stage.ts";

export function storage(stage: EngineStage): void {
  describe("the device's storage fails: the person is told, and edits are still sent", () => {
    test("[L37] the disk is full, and has room again", async () => {
      const desk = await stage.desk("start");
      const { device } = desk;
      await device.reaches("saved");
      await device.run(() => {
        type Put = (this: IDBObjectStore, value: unknown, key?: IDBValidKey) => IDBRequest;
        const put = Reflect.get(IDBObjectStore.prototype, "put") as Put;
        IDBObjectStore.prototype.put = function (...given) {
          if (document.documentElement.dataset["disk"] === "empty") return put.apply(this, given);
          throw new DOMException("The quota is used up.", "QuotaExceededError");
        };
      }, undefined);
      await device.focus(desk.lineOf("start"));
      await device.type(" and more");
      await device.reaches("unsaved");
      await device.says("full");
      await expect.poll(desk.stored, SOON).toEqual(["start and more"]);
      await device.run(() => void (document.documentElement.dataset["disk"] = "empty"), undefined);
      await device.type("!");
      await device.reaches("saved");
      await device.installed();
      await device.network.refuse();
      await device.reload();
      await device.shows(["start and more!"]);
      await device.comeBack();
    });

    test("[L38, L129] the database is deleted while the page is open, which begins a new one", async () => {
      const desk = await stage.desk("start");
      const { device } = desk;
      await device.installed();
      await device.reaches("saved");
      await device.run(async () => {
        for (const { name = "" } of await indexedDB.databases()) {
          await new Promise((resolve) => {
            const request = indexedDB.deleteDatabase(name);
            for (const type of ["success", "error"]) request.addEventListener(type, resolve);
          });
        }
      }, undefined);
      await device.focus(desk.lineOf("start"));
      await device.type(" and more");
      await expect.poll(() => device.databases(), SOON).toBe(1);
      await device.reaches("saved");
      expect(await desk.stored()).toEqual(["start and more"]);
      await device.network.refuse();
      await device.reload();
      await device.shows(["start and more"]);
      await device.comeBack();
    });
  });
}
