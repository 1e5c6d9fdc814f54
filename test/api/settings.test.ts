import { describe, expect } from "vitest";

import { test } from "./support/api-test.ts";

describe("settings", () => {
  test("[T12] begin as UTC and Monday", async ({ api }) => {
    const { status, body } = await api.request("GET", "/settings");
    expect({ status, body }).toEqual({ status: 200, body: { timezone: "UTC", weekStart: 1 } });
  });

  test("[T13] what is given is changed, and all is answered", async ({ api, other }) => {
    const post = (json: object) => api.done("POST", "/settings", json);
    expect(await post({ timezone: "Europe/Berlin" })).toEqual({
      timezone: "Europe/Berlin",
      weekStart: 1,
    });
    expect(await post({ weekStart: 0 })).toEqual({ timezone: "Europe/Berlin", weekStart: 0 });
    expect(await post({})).toEqual({ timezone: "Europe/Berlin", weekStart: 0 });
    expect(await post({ timezone: "America/St_Johns", weekStart: 6 })).toEqual({
      timezone: "America/St_Johns",
      weekStart: 6,
    });
    expect(await api.settings()).toEqual({ timezone: "America/St_Johns", weekStart: 6 });
    expect(await other.settings()).toEqual({ timezone: "UTC", weekStart: 1 });
  });

  test("[T15] a timezone is kept with the letters of its name, whatever case it came in", async ({
    api,
  }) => {
    const names = ["Europe/Berlin", "America/Port-au-Prince", "Asia/Tokyo", "Etc/GMT+5", "UTC"];
    for (const timezone of names) {
      expect(await api.done("POST", "/settings", { timezone: timezone.toLowerCase() })).toEqual({
        timezone,
        weekStart: 1,
      });
    }
  });

  test("[T14] what has one wrong field is refused as a whole", async ({ api }) => {
    await api.configure({ timezone: "Europe/Berlin", weekStart: 2 });
    const wrong = [
      ...["Mars/Olympus_Mons", "", 5, ["UTC"], "../../etc/passwd"].map((timezone) => ({
        timezone,
        weekStart: 3,
      })),
      ...[7, -1, 1.5, "1", "monday", true].map((weekStart) => ({
        timezone: "Asia/Tokyo",
        weekStart,
      })),
    ];
    for (const settings of wrong) {
      const outcome = await api.outcome("POST", "/settings", settings);
      expect([settings, outcome]).toEqual([settings, "400 invalid_request"]);
      expect(await api.settings()).toEqual({ timezone: "Europe/Berlin", weekStart: 2 });
    }
  });
});
