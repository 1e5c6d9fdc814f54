import type { Abuse } from "../abuse.ts";
import { HttpCaller, inParallel } from "../http-caller.ts";
import { withoutTurns } from "../mutants.ts";
import { fewerThan, Tally } from "../tally.ts";

const DAY_MS = 24 * 60 * 60_000;
const FIRST = Date.UTC(1200, 0, 1);
const MONTH_DAYS = 30;

/** Each makes a month, and the first of a year the year. */
export const calendarDays: Abuse = {
  name: "calendar-days",
  fault: "something is put into a day of each month of hundreds of years",
  unit: "days",
  full: 6_000,
  short: 300,
  mutants: {
    turns: { wrong: "all that it makes to do is done in one go", edits: withoutTurns },
  },
  async attack(site, amount) {
    const tally = new Tally();
    const caller = new HttpCaller(site, tally, 16);
    await inParallel(amount, 16, (index) => {
      const day = new Date(FIRST + index * MONTH_DAYS * DAY_MS).toISOString().slice(0, 10);
      return caller.call("POST", "/api/v1/nodes", { body: { name: "then", parent_id: day } });
    });
    caller.close();
    return tally.counts;
  },
  lackOf: (counts, amount) => fewerThan(counts, "answered", amount),
};
