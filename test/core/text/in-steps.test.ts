import { describe, expect, test } from "vitest";
import { inOneGo } from "../../../src/core/in-one-go.ts";
import { tagAt } from "../../../src/core/text/html-tag.ts";
import { htmlOfRichText } from "../../../src/core/text/html-of-rich-text.ts";
import { htmlInSteps, richTextOfHtml } from "../../../src/core/text/html.ts";
import { markdownInSteps, richTextOfMarkdown } from "../../../src/core/text/markdown.ts";
import { draftsInSteps, draftsOfName, updatedNameInSteps } from "../../../src/core/text/name.ts";
import { draftOfUpdatedName } from "../../support/draft-of-updated-name.ts";
import { hunksBetween, hunksInSteps } from "../../../src/core/text/text-diff.ts";
import {
  excessOfName,
  excessOfNote,
  excessOfUpdatedName,
} from "../../../src/core/text/text-excess.ts";
import { MAX_FORMAT_MARKS, MAX_TEXT_LENGTH } from "../../../src/core/text/text-limits.ts";
import { soloOutline } from "../../support/lab.ts";
import { keyOf, plant } from "../../support/outline-notation.ts";

/** So many of something, with letters between, as long as a text may be. */
function spread(unit: string, count: number): string {
  const letters = "x".repeat(Math.floor(MAX_TEXT_LENGTH / count) - unit.length);
  return (unit + letters).repeat(count);
}

function counted<T>(work: Generator<unknown, T>): { readonly result: T; readonly steps: number } {
  for (let steps = 1; ; steps++) {
    const step = work.next();
    if (step.done === true) return { result: step.value, steps };
  }
}

describe("long texts", () => {
  test.for([
    ["words", "word ".repeat(MAX_TEXT_LENGTH / 5)],
    ["signs", `*${"<".repeat(MAX_TEXT_LENGTH - 2)}*`],
    ["tags", spread("<b>a</b>", 4_000)],
    ["styles", spread("**a** ", 2_000)],
    ["links", spread("[a](https://e.org/1) ", 4_000)],
  ] as const)("[Q34] %s are read in steps, and come to the same", ([, text]) => {
    const markdown = counted(markdownInSteps(text));
    expect(markdown.result).toEqual(richTextOfMarkdown(text));
    const html = counted(htmlInSteps(text));
    expect(html.result).toEqual(richTextOfHtml(text));
    const name = counted(updatedNameInSteps(text, "bullets", undefined));
    expect(name.result).toEqual(draftOfUpdatedName(text, "bullets", undefined));
    expect(name.steps).toBeGreaterThan(2);
    if (/[*[]/.test(text)) expect(markdown.steps).toBeGreaterThan(4);
  });

  test("[Q34] a step is 32 Ki characters at most, whatever they are", () => {
    const most = MAX_TEXT_LENGTH / 2 ** 15;
    for (const text of [`*${"x".repeat(MAX_TEXT_LENGTH - 2)}*`, spread("[a](", 4_999)]) {
      expect(counted(markdownInSteps(text)).steps).toBeGreaterThanOrEqual(most);
    }
    expect(counted(htmlInSteps(spread("<b>a</b>", 4_000))).steps).toBeGreaterThanOrEqual(most - 1);
  });

  test("[Q34] a name of many lines makes its drafts one by one, with steps between", () => {
    const name = `first\n\n# second\n\n${"third ".repeat(100_000)}`;
    const made = [...draftsInSteps(name, undefined)];
    const drafts = made.filter((draft) => draft !== undefined);
    expect(drafts).toEqual(draftsOfName(name, undefined));
    expect(drafts.map(({ layout }) => layout)).toEqual([undefined, "h1", undefined]);
    expect(made.indexOf(undefined)).toBe(0);
  });

  test("[Q34] differences are found in steps, and come to the same", () => {
    const words = (from: number): string =>
      Array.from({ length: 40_000 }, (_, index) => `w${(index * from) % 65_537}`).join(" ");
    const [old, now] = [words(7_919), `new ${words(7_919).replaceAll("w12", "v12")} end`];
    const { result, steps } = counted(hunksInSteps(old, now));
    expect(result).toEqual(hunksBetween(old, now));
    expect(steps).toBeGreaterThan(10);
  });

  test("[Q34] an update in steps does what an update in one go does", () => {
    const [one, other] = [soloOutline(), soloOutline()];
    const patch = {
      name: `- [x] **a** ${"word ".repeat(20_000)}`,
      note: `<b>x</b>${"note ".repeat(20_000)}`,
    };
    const [a, b] = [one, other].map((outline) => keyOf(plant(outline, "a"), "a"));
    if (a === undefined || b === undefined) throw new Error("not planted");
    one.update(a, patch);
    expect(inOneGo(other.updateInSteps(b, patch))).toEqual({ kind: "ok" });
    const shown = ({
      name,
      note,
      layout,
      completedAt,
    }: NonNullable<ReturnType<typeof one.node>>) => ({
      name,
      note,
      layout,
      completedAt,
    });
    const nodes = [one.node(a), other.node(b)].map((node) => node && shown(node));
    expect(nodes[0]).toEqual(nodes[1]);
    expect(nodes[0]).toMatchObject({ layout: "todo" });
  });
});

describe("what makes reading long", () => {
  test.for(["*", "~", "`", "[", "<b>", "</i>", "&copy;", "https://e.org ", " http://e.org"])(
    "[Q34] of %j a name has ten thousand",
    (unit) => {
      const text = (count: number): string => `${unit}x `.repeat(count);
      expect(excessOfUpdatedName(text(MAX_FORMAT_MARKS), false)).toBeUndefined();
      expect(excessOfUpdatedName(text(MAX_FORMAT_MARKS + 1), false)).toBe("formats");
      expect(excessOfName(text(MAX_FORMAT_MARKS + 1), false)).toBe("formats");
    },
  );

  test("[Q34] the address of a link is part of the link", () => {
    const links = '<a href="https://e.org">x</a> [y](http://e.org) '.repeat(3_333);
    expect(excessOfUpdatedName(links, false)).toBeUndefined();
    expect(excessOfNote(links)).toBeUndefined();
  });

  test("[Q34, X13] attributes that mean nothing are passed over, however many there are", () => {
    const names = Array.from({ length: 50_000 }, (_, index) => `a${index}="x" b${index} `).join("");
    const tag = tagAt(`<a ${names}HREF='https://e.org' href=x CLASS=y>`, 0);
    expect([...(tag?.attributes ?? [])]).toEqual([
      ["href", "https://e.org"],
      ["class", "y"],
    ]);
    expect(htmlOfRichText(richTextOfHtml(`<b ${names}>x</b>`))).toBe("<b>x</b>");
  });
});
