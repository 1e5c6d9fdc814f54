import { afterEach, expect, it, vi } from "vitest";
import { launch } from "../../../../client/app/page/launch.ts";
import { openDesk } from "../../support/fake-workspace.ts";

afterEach(() => vi.unstubAllGlobals());

it("[W306] what was shared where no service worker took it is asked for once more", async () => {
  const replaceState = vi.fn();
  vi.stubGlobal("history", { state: null, replaceState });
  const { workspace, notices } = await openDesk("a");
  await launch(workspace, new URL("https://outline.example/?do=share#/a") as unknown as Location);
  expect(notices.shown.get()).toMatchObject([{ tone: "warning" }]);
  expect(replaceState).toHaveBeenCalledWith(null, "", "/#/a");
});
