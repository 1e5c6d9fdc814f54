import { benchGroup, noGoal, type RowOf } from "../bench-group.ts";
import { benchQuestions, type QuestionFigures } from "../questions.ts";

const WHAT: Readonly<Record<keyof QuestionFigures, readonly [what: string, before: string]>> = {
  changes: ["what has changed since a cursor, 20 nodes", "the whole export, compared with a copy"],
  search: ["which line has these words", "the whole export, searched"],
  subtree: ["a line with two levels below it, 111 nodes", "a list of children for each"],
  path: ["where the deepest line stands", "a node after the other, up to the top"],
  plan: ["a line with ten lines below it is made, all or nothing", "a create for each"],
  same: ["whether a list of 20 is as it was", "the list"],
};

const UNITS = ["requests", "bytes"] as const;

/** What programs ask every day, beside what they had to ask when the service had the first routes only. */
export const QUESTION_ROWS = benchGroup({
  name: "questions",
  title: "What programs ask every day, and had to ask before",
  sizes: [10_000],
  measure: (nodes) => benchQuestions(nodes),
  rows: Object.entries(WHAT).flatMap(([name, [what, before]]) =>
    UNITS.map((unit): RowOf<QuestionFigures> => {
      const question = name as keyof QuestionFigures;
      return {
        id: `question-${question}-${unit}`,
        what: unit === "requests" ? what : "the same",
        unit,
        comparison: "absolute",
        goal: noGoal,
        floor: unit === "requests" ? before : "as above",
        limit: unit === "requests" ? "" : "Bodies and answers, not packed.",
        read: (figures) => ({
          measured: figures[question].now[unit],
          floor: figures[question].before[unit],
        }),
      };
    }),
  ),
});
