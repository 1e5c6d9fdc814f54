/** The months as the calendar names them, January first. */
export const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

const LABEL = new Intl.DateTimeFormat("en-US", {
  timeZone: "UTC",
  weekday: "short",
  month: "short",
  day: "numeric",
  year: "numeric",
});

/** The name of a day node. @param date `YYYY-MM-DD` */
export function dayName(date: string): string {
  const [year, month, day] = date.split("-").map(Number);
  const label = LABEL.format(new Date(`${date}T00:00:00Z`));
  return `<time startYear="${year}" startMonth="${month}" startDay="${day}">${label}</time>`;
}

/** The date that a day node's name stands for, as `YYYY-MM-DD`. */
export function dateOfDayName(name: string): string {
  const [year, month, day] = [...name.matchAll(/"(\d+)"/g)].map((match) => match[1] ?? "");
  return `${year}-${month?.padStart(2, "0")}-${day?.padStart(2, "0")}`;
}
