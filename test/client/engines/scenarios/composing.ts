import { describe, expect, test } from "vitest";
import { SOON } from "../../support/eventually.ts";
import type { EngineStage } from "../engine-stage.ts";

export function composing(stage: EngineStage): void {
  describe("an input method", () => {
    test("[W4] what is composed is written once, with what was chosen", async () => {
      const person = await stage.person("hello");
      const device = await stage.device(person);
      await device.focus(person.lineOf("hello"));
      await device.inputMethod.begin();
      await device.inputMethod.choose("日");
      await device.type("!");
      await device.shows(["hello日!"]);
      await expect.poll(() => stage.server.sketch(person.key), SOON).toEqual(["hello日!"]);
    });

    test("[W4] what others write during a composition is kept", async () => {
      const person = await stage.person("hello", "witness");
      const device = await stage.device(person);
      const line = person.lineOf("hello");
      await device.focus(line);
      await device.inputMethod.begin();
      const write = (key: string, name: string) =>
        stage.server.call("POST", `nodes/${key}`, { name }, person.key);
      await write(line, "they say hello");
      await write(person.lineOf("witness"), "the witness");
      await expect.poll(async () => (await device.rows())[1]?.name, SOON).toBe("the witness");
      await device.inputMethod.choose("日");
      await device.shows(["they say hello日", "the witness"]);
      expect(await device.caret()).toMatchObject({ key: line, at: "they say hello日".length });
    });
  });
}
