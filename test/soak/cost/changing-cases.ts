import type { Random } from "../../../src/core/node-key.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";
import type { Case, Gene, Step } from "./gene.ts";
import { MESSAGE_GENES } from "./message-genes.ts";
import { REQUEST_GENES } from "./request-genes.ts";
import { TEXT_GENES } from "./text-genes.ts";
import { UPDATE_GENES } from "./update-genes.ts";

const KINDS: Readonly<Record<Step["channel"], readonly string[]>> = {
  update: Object.keys(UPDATE_GENES),
  requests: [...Object.keys(REQUEST_GENES), ...Object.keys(TEXT_GENES)],
  messages: Object.keys(MESSAGE_GENES),
};
const CHANNELS = ["update", "update", "requests", "requests", "messages"] as const;
const MOST_STEPS = 12;
const MOST_GENES = 24;
const MOST = { count: 60_000, size: 60_000, times: 100 };
const FACTORS = [0.1, 0.5, 0.9, 1.5, 2, 4, 10];

/** A case that has nothing to do with any other. */
export function freshCase(random: Random): Case {
  return Array.from({ length: 1 + integerBelow(random, 4) }, () => freshStep(random));
}

/** A case that differs from another one in one to three places. @param other to take steps from */
export function mutatedCase(from: Case, other: Case, random: Random): Case {
  let steps = from;
  for (let left = 1 + integerBelow(random, 3); left > 0; left--) {
    steps = changedCase(steps, other, random);
  }
  return steps.length === 0 ? freshCase(random) : steps.slice(0, MOST_STEPS);
}

/** The cases with a step or a gene less. */
export function smallerCases(from: Case): readonly Case[] {
  const fewer = from.map((_, index) => from.toSpliced(index, 1));
  const shorter = from.flatMap((step, at) => [
    ...(step.times > 1 ? [from.with(at, { ...step, times: 1 })] : []),
    ...step.genes.map((_, index) =>
      from.with(at, { ...step, genes: step.genes.toSpliced(index, 1) }),
    ),
  ]);
  return [...fewer, ...shorter];
}

/** What a case is made of, in words: `update(nodes 30x4, text 9x100) x2; …`. */
export function describeCase(each: Case): string {
  return each
    .map(({ channel, genes, times }) => {
      const said = genes.map(({ kind, count, size, pick }) => `${kind} ${count}x${size}#${pick}`);
      return `${channel}(${said.join(", ")})${times > 1 ? ` x${times}` : ""}`;
    })
    .join("; ");
}

/** Cases of one sort have the same kinds of genes. */
export function sortOf(each: Case): string {
  return [...new Set(each.flatMap(({ genes }) => genes.map(({ kind }) => kind)))].sort().join();
}

function freshStep(random: Random): Step {
  const channel = oneOf(random, CHANNELS);
  const length = 1 + integerBelow(random, channel === "messages" ? 3 : 6);
  const genes = Array.from({ length }, () => freshGene(channel, random));
  return { channel, genes, times: random() < 0.8 ? 1 : sized(random, 10) };
}

function freshGene(channel: Step["channel"], random: Random): Gene {
  const kind = oneOf(random, KINDS[channel]);
  const size = sized(random, random() < 0.7 ? 30 : 3_000);
  return { kind, count: sized(random, 4_000), size, pick: integerBelow(random, 1_000) };
}

/** Small numbers as often as large ones. */
function sized(random: Random, most: number): number {
  return Math.max(1, Math.round(most ** random()));
}

function changedCase(from: Case, other: Case, random: Random): Case {
  const at = integerBelow(random, from.length);
  const step = from[at];
  if (step === undefined) return freshCase(random);
  switch (integerBelow(random, 8)) {
    case 0:
      return from.toSpliced(at, 0, freshStep(random));
    case 1:
      return from.length > 1 ? from.toSpliced(at, 1) : from;
    case 2:
      return from.toSpliced(at + 1, 0, oneOf(random, from));
    case 3:
      return [...from.slice(0, at + 1), ...other.slice(integerBelow(random, other.length))];
    case 4: {
      const times = scaled(step.times, MOST.times, random);
      return from.with(at, { ...step, times });
    }
    default: {
      const genes = changedGenes(step, random).slice(0, MOST_GENES);
      return from.with(at, { ...step, genes });
    }
  }
}

function changedGenes({ channel, genes }: Step, random: Random): readonly Gene[] {
  const at = integerBelow(random, genes.length);
  const gene = genes[at];
  if (gene === undefined) return [freshGene(channel, random)];
  switch (integerBelow(random, 8)) {
    case 0:
      return genes.toSpliced(at, 0, freshGene(channel, random));
    case 1:
      return genes.toSpliced(at, 1);
    case 2:
      return genes.toSpliced(integerBelow(random, genes.length + 1), 0, gene);
    case 3:
      return genes.with(at, { ...gene, kind: oneOf(random, KINDS[channel]) });
    case 4:
      return genes.with(at, { ...gene, pick: integerBelow(random, 1_000) });
    case 5:
      return genes.with(at, { ...gene, size: scaled(gene.size, MOST.size, random) });
    default:
      return genes.with(at, { ...gene, count: scaled(gene.count, MOST.count, random) });
  }
}

function scaled(value: number, most: number, random: Random): number {
  return Math.min(most, Math.max(1, Math.round(value * oneOf(random, FACTORS))));
}
