import { describe, expect, test } from "vitest";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

const UNSENT = /^Saved on this device, \d+ changed lines? not sent since \d\d:\d\d/;

describe("a network that breaks", () => {
  test.each(["hang", "reset", "refuse"] as const)(
    "%s: the person is told, both sides go on, and all of it meets",
    async (way) => {
      const key = await stage.person();
      const { server } = stage;
      const line = await server.create("start", undefined, key);
      const [anna, ben] = await Promise.all([stage.device(key), stage.device(key)]);
      await anna.reaches("saved");
      await anna.focus(line);

      await anna.network[way]();
      // Not before: a device of a new person takes over a time zone, and saves that too.
      await anna.watchStates();
      await anna.type(" on the train");
      await anna.reaches("local");
      await expect.poll(async () => (await anna.status()).words, SOON).toMatch(UNSENT);

      await ben.focus(line, "Home");
      await ben.type("At home: ");
      await ben.reaches("saved");
      await server.create("by REST", line, key);
      await anna.press("Enter");
      await anna.type("a new line");
      await anna.shows(["start on the train", "a new line"]);
      await expect.poll(() => anna.statesSeen(), SOON).not.toContain("unsaved");
      // Nothing was ever called saved that the server does not have.
      expect((await anna.statesSeen()).slice(1)).not.toContain("saved");

      await anna.network.pass();
      const merged = ["At home: start on the train", "  by REST", "a new line"];
      await anna.shows(merged);
      await ben.shows(merged);
      await anna.reaches("saved");
      expect(await server.sketch(key)).toEqual(merged);
    },
  );

  test("one direction alone hangs: what the server has not confirmed is not called saved", async () => {
    const key = await stage.person();
    const line = await stage.server.create("start", undefined, key);
    const device = await stage.device(key);
    await device.reaches("saved");
    await device.focus(line);
    device.network.hang("down");
    await device.watchStates();
    await device.type("!");
    // The server got it, but nobody knows.
    await expect.poll(() => stage.server.sketch(key), SOON).toEqual(["start!"]);
    await device.reaches("local");
    expect((await device.statesSeen()).slice(1)).not.toContain("saved");
    await device.network.pass();
    await device.reaches("saved");
    await device.shows(["start!"]);
    expect(await stage.server.sketch(key)).toEqual(["start!"]);
  });
});

describe("without a network from the start", () => {
  test.each(["refuse", "hang"] as const)(
    "%s: reload, edit, reload again, go online",
    async (way) => {
      const key = await stage.person();
      const line = await stage.server.create("start", undefined, key);
      const device = await stage.device(key, { installs: true });
      await device.reaches("saved");
      await device.installed();

      await device.network[way]();
      await device.reload();
      await device.shows(["start"]);
      await device.focus(line);
      await device.type(" offline");
      await device.press("Enter");
      await device.type("another line");
      await device.shows(["start offline", "another line"]);
      await device.reaches("local");
      await expect.poll(async () => (await device.status()).words, SOON).toMatch(UNSENT);

      await device.reload();
      await device.shows(["start offline", "another line"]);
      await device.reaches("local");
      await expect.poll(async () => (await device.status()).words, SOON).toMatch(UNSENT);
      expect(await stage.server.sketch(key)).toEqual(["start"]);

      await device.network.pass();
      await device.reaches("saved");
      expect(await stage.server.sketch(key)).toEqual(["start offline", "another line"]);
      await device.shows(["start offline", "another line"]);
    },
  );
});
