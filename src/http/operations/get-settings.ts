import { SETTINGS } from "../api-schemas.ts";
import { defineOperation } from "../operation.ts";
import { NO_SUCH_NODE } from "../problem.ts";
import { reading } from "../service.ts";

export const getSettings = defineOperation({
  id: "getSettings",
  method: "GET",
  path: "/api/v1/settings",
  tag: "Settings",
  summary: "Get the settings",
  description: "Answers the settings that decide what `today` and `next_week` mean.",
  needs: { write: false, wholeOutline: false },
  answer: SETTINGS,
  problems: ["not_found"],
  run({ caller }, service) {
    return reading(service, caller, (view) =>
      view.place(null) === undefined ? NO_SUCH_NODE : view.settings(),
    );
  },
});
