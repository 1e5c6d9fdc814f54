import { z } from "zod";
import { isTimezone, timezoneAsNamed } from "../../core/calendar/calendar.ts";
import { named, SETTINGS } from "../api-schemas.ts";
import { given } from "../given.ts";
import { defineOperation } from "../operation.ts";
import { problemOfRefusal } from "../problem-of-refusal.ts";
import { writing } from "../service.ts";

const BODY = named(
  "ChangeSettings",
  z.object({
    timezone: z
      .string()
      .refine(isTimezone, "no such time zone")
      .transform(timezoneAsNamed)
      .nullish(),
    weekStart: z.literal([0, 1, 2, 3, 4, 5, 6]).nullish(),
  }),
);

export const changeSettings = defineOperation({
  id: "changeSettings",
  method: "POST",
  path: "/api/v1/settings",
  tag: "Settings",
  summary: "Change the settings",
  description: "Changes what is given and answers all settings as they are then.",
  needs: { write: true, wholeOutline: true },
  body: BODY,
  answer: SETTINGS,
  example: { timezone: "Europe/Paris", weekStart: 1 },
  problems: [],
  async run({ caller, body }, service) {
    return writing(service, caller, (view) => {
      const result = view.outline.configure(given(body));
      return result.kind === "ok" ? view.settings() : problemOfRefusal(result);
    });
  },
});
