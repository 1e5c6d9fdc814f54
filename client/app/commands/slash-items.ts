import type { NodeKey } from "../../../src/core/node-key.ts";
import { dateLabel, dateMarkText } from "../../../src/core/text/dates.ts";
import { dateInWords } from "../../lib/search/date-in-words.ts";
import { todayOf } from "../state/follow-day.ts";
import type { Workspace } from "../state/workspace.ts";
import type { Command } from "./command.ts";
import { targetOf } from "./target.ts";

/** A line of the slash menu. */
export type SlashItem = {
  readonly id: string;
  readonly label: string;
  readonly hint: string | undefined;
} & (
  | { readonly kind: "command" }
  /** `mark` is the value of the format `d`. */
  | { readonly kind: "date"; readonly mark: string }
  /** A line to link to; the hint is what it is in. */
  | { readonly kind: "line"; readonly key: NodeKey }
  /** A tag or a mention, with its mark; the hint is the number of lines that have it. */
  | { readonly kind: "tag" }
);

/** What a query behind the slash finds: a date in words first, then commands, the best first. */
export function slashItems(workspace: Workspace, query: string): readonly SlashItem[] {
  const target = targetOf(workspace.focus.state.get());
  const words = query.trim().toLowerCase();
  const commands = workspace.commands.all
    .filter((command) => command.places?.includes("slash") === true)
    .map((command) => ({ command, rank: rankOf(command, words) }))
    .filter(({ command, rank }) => rank < Infinity && command.isEnabled(workspace, target))
    .sort((a, b) => a.rank - b.rank)
    .map(({ command }): SlashItem => ({
      kind: "command",
      id: command.id,
      label: command.label,
      hint: workspace.commands.keyLabel(command),
    }));
  return [...datesOf(workspace, words), ...commands];
}

/** Offered from their second letter on. */
const DAYS = [
  ..."today tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday".split(" "),
  "next week",
];

/** What is still to come of a time that is being typed behind a day. */
const BEGUN_TIME = / \d{1,2}(?::\d?)?[ap]?$/;
const ENDS_OF_TIMES = ["pm", "am", ":00", "m", "00", "0"];

function datesOf({ replica }: Workspace, words: string): readonly SlashItem[] {
  if (words === "") return [];
  const { weekStart } = replica.outline.settings();
  const today = todayOf(replica);
  const begun = words.length < 2 ? [] : DAYS.filter((day) => day.startsWith(words));
  if (BEGUN_TIME.test(words) && dateInWords(words, today, weekStart) === undefined)
    begun.push(...ENDS_OF_TIMES.map((end) => `${words}${end}`));
  // "fri" is a date itself, and the beginning of a word for the same one.
  const items = new Map<string, SlashItem>();
  for (const phrase of [words, ...begun]) {
    const date = dateInWords(phrase, today, weekStart);
    const mark = date && dateMarkText(date);
    if (mark === undefined || items.has(mark)) continue;
    const hint = phrase === words ? undefined : phrase;
    items.set(mark, { kind: "date", id: `date ${mark}`, label: dateLabel(mark), hint, mark });
  }
  return [...items.values()];
}

/**
 * The less the better: the label begins with it, a word of it does, another word does. Before anything
 * is typed, what a line can be comes first, and last what is done with it.
 */
function rankOf({ id, label, words = "" }: Command, query: string): number {
  if (query === "") return id.startsWith("layout.") ? 0 : 1;
  const name = label.toLowerCase();
  if (name.startsWith(query)) return 0;
  if (name.split(/\s+/).some((word) => word.startsWith(query))) return 1;
  return words.split(" ").some((word) => word.startsWith(query)) ? 2 : Infinity;
}
