/** What the search box understands, to be listed for a person. */
export const QUERY_OPERATORS: readonly { readonly example: string; readonly meaning: string }[] = [
  { example: '"two words"', meaning: "These words next to each other" },
  { example: "-word", meaning: "Without this word; works with everything below too" },
  { example: "this OR that", meaning: "One or the other" },
  { example: "#tag", meaning: "Tagged so" },
  { example: "@name", meaning: "Mentions so" },
  { example: "is:todo", meaning: "To-do items" },
  { example: "is:complete", meaning: "Completed" },
  { example: "has:note", meaning: "With a note" },
  { example: "in:note", meaning: "Looks into notes only" },
  { example: "this > that", meaning: "“that” in lines below “this”" },
  { example: "due:today", meaning: "With that date; also overdue, tomorrow, 7d, 2026-11" },
  { example: "has:link", meaning: "With a link; also has:date, has:colour" },
  { example: "colour:red", meaning: "With letters or a background in this colour" },
  { example: "changed:1d", meaning: "Changed within a day; also 2h, 3w, 2026-11" },
  { example: "created:2026-11", meaning: "Created in that month, year or on that day; also 7d" },
];
