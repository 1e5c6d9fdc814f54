import { describe, expect, test } from "vitest";
import { SOON } from "../../support/eventually.ts";
import type { EngineStage } from "../engine-stage.ts";

export function badDays(stage: EngineStage): void {
  describe("bad days", () => {
    test("[W218, W219] what can't be pasted is refused with words, and the page goes on", async () => {
      const desk = await stage.desk("start");
      const { device } = desk;
      await device.focus(desk.lineOf("start"));
      const paste = (what: "picture" | "9 MB") =>
        device.run((kind) => {
          const data = new DataTransfer();
          if (kind === "picture")
            data.items.add(new File(["PNG"], "cat.png", { type: "image/png" }));
          else
            data.setData(
              "text/plain",
              "a line of fifty letters, of which there are many.\n".repeat(180_000),
            );
          const init = { bubbles: true, cancelable: true, composed: true };
          const event = new ClipboardEvent("paste", init);
          // Firefox leaves out what an event is made with.
          Object.defineProperty(event, "clipboardData", { value: data });
          document.activeElement?.dispatchEvent(event);
        }, what);
      await paste("picture");
      await device.says("“cat.png” was not added");
      await paste("9 MB");
      await device.says("Nothing was pasted: 9 million characters");
      await device.type("!");
      await device.shows(["start!"]);
      await expect.poll(desk.stored, SOON).toEqual(["start!"]);
    });

    test("[W5, W213] an extension that writes onto the page changes nothing of what is stored", async () => {
      const desk = await stage.desk("a **bold** word", "next");
      const { device } = desk;
      const line = desk.lineOf("a **bold** word");
      await device.focus(line);
      await device.run((key) => {
        const name = document.querySelector(`[data-key="${key}"] [data-part=name]`);
        const mark = document.createElement("extension-mark");
        mark.append("checked");
        name?.querySelector("b")?.replaceWith("cloud");
        name?.after(mark);
        document.body.append(document.createElement("extension-panel"));
      }, line);
      await device.type("!");
      await device.press("Enter");
      await device.type("more");
      await device.shows(["a bold word!", "more", "next"]);
      await expect.poll(desk.stored, SOON).toEqual(["a <b>bold</b> word!", "more", "next"]);
    });

    test("[W74, L14] the session is gone, as with the cookies: nothing is lost, and sent after signing in", async () => {
      const desk = await stage.desk("start");
      const { device } = desk;
      await device.focus(desk.lineOf("start"));
      await device.run(
        () => fetch("/session", { method: "DELETE" }).then(() => undefined),
        undefined,
      );
      await device.says("Sign in again");
      await device.type(" and unsent");
      await device.reaches("local");
      expect(await desk.stored()).toEqual(["start"]);
      await device.clickUntil("[data-part=banner] button", "input[type=password]");
      await device.signIn(stage.key);
      await device.reaches("saved");
      expect(await desk.stored()).toEqual(["start and unsent"]);
    });
  });
}
