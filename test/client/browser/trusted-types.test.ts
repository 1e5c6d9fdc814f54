import { expect, test } from "vitest";
import { SOON } from "../support/eventually.ts";
import { useStage } from "../support/stage.ts";

const stage = useStage();

test("[E43] the app works where no text may become markup or a script, and none can", async () => {
  const key = await stage.person();
  const line = await stage.server.create("start", undefined, key);
  const device = await stage.device(key, { installs: true });
  const { page } = device;
  await page.evaluate(() => {
    const violations: string[] = [];
    Object.assign(window, { violations });
    addEventListener("securitypolicyviolation", ({ violatedDirective }) => {
      violations.push(violatedDirective);
    });
  });
  const worker = await page.evaluate(
    async () => (await navigator.serviceWorker.ready).active?.scriptURL,
  );
  expect(worker).toMatch(/\/sw\.js$/);
  await device.focus(line);
  await device.press("Enter");
  await device.paste({ "text/html": "<ul><li>one <b>two</b></li><li>three</li></ul>" });
  await expect.poll(async () => (await device.rows()).length, SOON).toBe(3);
  expect(
    await page.evaluate(() => (window as unknown as { violations: string[] }).violations),
  ).toEqual([]);

  const outcomes = await page.evaluate(() => {
    const attempt = (work: () => void): string => {
      try {
        work();
        return "done";
      } catch (error) {
        return error instanceof Error ? error.name : "?";
      }
    };
    const place = document.createElement("div");
    const { trustedTypes } = window as {
      trustedTypes?: { createPolicy(name: string, rules: object): void };
    };
    return [
      attempt(() => (place.innerHTML = "<b>x</b>")),
      attempt(() => place.insertAdjacentHTML("beforeend", "<b>x</b>")),
      attempt(() => void new DOMParser().parseFromString("<b>x</b>", "text/html")),
      attempt(() => (document.createElement("script").src = "https://evil.example/x.js")),
      attempt(() => void new Worker("/api/v1/nodes")),
      attempt(() => trustedTypes?.createPolicy("another", { createHTML: (text: string) => text })),
    ];
  });
  expect(outcomes).toEqual(outcomes.map(() => "TypeError"));
  // The browser says so on the console.
  device.problems.splice(0);
});
