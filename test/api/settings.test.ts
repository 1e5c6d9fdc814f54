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

  test.for([
    { timezone: "Mars/Olympus_Mons", weekStart: 3 },
    { timezone: "", weekStart: 3 },
    { timezone: 5, weekStart: 3 },
    { timezone: ["UTC"], weekStart: 3 },
    { timezone: "../../etc/passwd", weekStart: 3 },
    { timezone: "Asia/Tokyo", weekStart: 7 },
    { timezone: "Asia/Tokyo", weekStart: -1 },
    { timezone: "Asia/Tokyo", weekStart: 1.5 },
    { timezone: "Asia/Tokyo", weekStart: "1" },
    { timezone: "Asia/Tokyo", weekStart: "monday" },
    { timezone: "Asia/Tokyo", weekStart: true },
  ])("[T14] %o is refused as a whole", async (settings, { api }) => {
    await api.configure({ timezone: "Europe/Berlin", weekStart: 2 });
    expect(await api.outcome("POST", "/settings", settings)).toBe("400 invalid_request");
    expect(await api.settings()).toEqual({ timezone: "Europe/Berlin", weekStart: 2 });
  });
});
