/** What a person can ask an assistant for with a word. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly text: string;
}

export const PROMPTS: readonly Prompt[] = [
  {
    name: "review_day",
    title: "Review the day",
    description: "Looks back at today with what was done and what is open.",
    text:
      "Review my day with me. Read today's node with outline_today, what I changed today with outline_search and the query `changed:1d`, " +
      "and the open to-dos that are due with `due:today -is:complete`. Tell me shortly what is done and what is open. " +
      "Then propose which open ones to move to tomorrow, and change nothing before I have agreed.",
  },
  {
    name: "plan_week",
    title: "Plan the week",
    description: "Spreads open to-dos over the days of the coming week.",
    text:
      "Plan the coming week with me. Read the inbox and the days of the week with outline_read, and find open to-dos with outline_search and the query `is:todo -is:complete`. " +
      "Propose which to do on which day, not more on one day than fits into it. When I have agreed, move them below the dates with outline_edit, with `dry_run` first.",
  },
];
