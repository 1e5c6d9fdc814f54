import { afterEach, expect, it, vi } from "vitest";
import { LiveCommands } from "../../../../client/app/commands/live-commands.ts";
import { launch } from "../../../../client/app/page/launch.ts";
import { openDesk } from "../../support/fake-workspace.ts";

const ESCAPE = {
  key: "Escape",
  code: "Escape",
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
};

afterEach(() => vi.unstubAllGlobals());

it("[W306] what was shared where no service worker took it is asked for once more", async () => {
  const replaceState = vi.fn();
  vi.stubGlobal("history", { state: null, replaceState });
  const { workspace, notices } = await openDesk("a");
  await launch(workspace, new URL("https://outline.example/?do=share#/a") as unknown as Location);
  expect(notices.shown.get()).toMatchObject([{ tone: "warning" }]);
  expect(replaceState).toHaveBeenCalledWith(null, "", "/#/a");
});

it("[W53] Escape goes from selected lines back to the text, whichever part of the page comes first", async () => {
  vi.stubGlobal("history", { state: null, replaceState: vi.fn() });
  const { workspace, key } = await openDesk("a");
  const commands = new LiveCommands(() => workspace, false);
  await launch({ ...workspace, commands }, new URL("https://outline.example/") as never);
  workspace.focus.selectNodes([key("a")]);
  const [first] = commands.forKey(ESCAPE);
  expect(first?.id).toBe("select.none");
});
