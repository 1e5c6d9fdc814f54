import type { NodeKey } from "../../../src/core/node-key.ts";
import { countIn } from "./edits.ts";
import type { Answer, Question } from "./reads.ts";
import type { View } from "./view.ts";

/**
 * An answer of the API, asked for when a replica showed `before`, and the same replica once it must
 * have all that the answer can have shown: `after`.
 */
export interface Exhibit {
  readonly question: Question;
  readonly answer: Answer;
  readonly before: View;
  readonly after: View;
  /** Numbers of names that somebody was told are durable, before the question. */
  readonly acknowledged: readonly ReadonlyMap<NodeKey, number>[];
}

export interface Comparison {
  readonly compared: number;
  /** Of them, those that had not changed meanwhile and were the same to the byte. */
  readonly identical: number;
  readonly differences: readonly string[];
}

/**
 * The orders that must hold: an answer has everything that the replica had been sent before the
 * question, and everything that was acknowledged before it to anybody; and the replica comes to have
 * everything that the answer shows. So a node that did not change on the replica between the two
 * looks is in the answer to the byte, but for the second in which a device's edit came, which only
 * the server knows at first (M7); and of one that did, the answer shows a state from between.
 */
export function compare({ question, answer, before, after, acknowledged }: Exhibit): Comparison {
  const differences: string[] = [];
  let identical = 0;
  const isStill = before.placements === after.placements;
  for (const [key, json] of answer) {
    const [earlier, later] = [before.nodes.get(key), after.nodes.get(key)];
    const isSame = before.versions.get(key) === after.versions.get(key);
    if (earlier !== undefined && later !== undefined && isSame) {
      // Its rank alone depends on the places of others.
      const [shown, told] = isStill ? [earlier, json] : [unranked(earlier), unranked(json)];
      if (isShownBy(told, shown)) identical++;
      else differences.push(`the replica shows ${earlier}, the API ${json}`);
      continue;
    }
    if (earlier === undefined && later === undefined && isSame) {
      differences.push(`no replica has ever had ${json}`);
    }
    const count = numberOf(json);
    const least = Math.max(
      earlier === undefined ? 0 : numberOf(earlier),
      ...acknowledged.map((numbers) => numbers.get(key) ?? 0),
    );
    const most = later === undefined ? count : numberOf(later);
    if (count < least) differences.push(`${json} is older than ${least}`);
    if (count > most) differences.push(`${json} is newer than ${most}`);
  }
  const missing = expectedIn(question, before).filter(
    (key) => isStill && after.nodes.has(key) && !answer.has(key),
  );
  differences.push(...missing.map((key) => `${key} is missing`));
  return { compared: answer.size + missing.length, identical, differences };
}

function expectedIn(question: Question, view: View): readonly NodeKey[] {
  switch (question.kind) {
    case "retrieve":
      return view.nodes.has(question.key) ? [question.key] : [];
    case "list":
      return view.children.get(question.parent) ?? [];
    case "export":
      return [...view.nodes.keys()];
  }
}

/** Whether the API may say `told` of a node where a replica shows `shown`. */
export function isShownBy(told: string, shown: string): boolean {
  const [tellsAt, showsAt] = [told, shown].map(
    (json) => (JSON.parse(json) as { readonly modifiedAt: number }).modifiedAt,
  ) as [number, number];
  return (
    tellsAt >= showsAt &&
    told.replace(`"modifiedAt":${tellsAt}`, `"modifiedAt":${showsAt}`) === shown
  );
}

function unranked(json: string): string {
  return json.replace(/"priority":\d+,/, "");
}

/** The number in a node's name; 0 in one that has none. */
function numberOf(json: string): number {
  const { name } = JSON.parse(json) as { readonly name: string };
  const { count } = countIn(name);
  return Number.isNaN(count) ? 0 : count;
}
