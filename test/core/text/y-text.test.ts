import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { htmlOfRichText } from "../../../src/core/text/html-of-rich-text.ts";
import { richTextOfHtml } from "../../../src/core/text/html.ts";
import type { RichText } from "../../../src/core/text/rich-text.ts";
import { writeRichText } from "../../../src/core/text/write-rich-text.ts";
import { htmlOfYText, readRichText } from "../../../src/core/text/y-text.ts";

function textOf(html: string): Y.Text {
  const text = new Y.Doc().getText();
  writeRichText(text, richTextOfHtml(html));
  return text;
}

function write(text: Y.Text, html: string, base?: string): ReturnType<typeof writeRichText> {
  return writeRichText(
    text,
    richTextOfHtml(html),
    base === undefined ? undefined : richTextOfHtml(base),
  );
}

/** What an edit did, as other replicas hear of it. */
function deltaOf(text: Y.Text, edit: () => void): unknown {
  let delta: unknown = [];
  const listener = (event: Y.YTextEvent): void => {
    delta = event.delta;
  };
  text.observe(listener);
  edit();
  text.unobserve(listener);
  return delta;
}

/** The bytes that an edit sends. */
function bytesOf(text: Y.Text, edit: () => void): number {
  let bytes = 0;
  text.doc?.on("update", (update: Uint8Array) => {
    bytes += update.length;
  });
  edit();
  return bytes;
}

describe("reading a Y.Text", () => {
  test.for([
    "",
    "plain",
    "a &lt; b &amp; c",
    "<b>a</b> b <i>c <b>d</b></i>",
    '<a href="https://e.org/?a&amp;b">x</a>&copy;',
    "line\nbreaks",
  ])("[X39] %j", (html) => {
    const text = textOf(html);
    expect(htmlOfYText(text)).toBe(html);
    expect(readRichText(text)).toEqual(richTextOfHtml(html));
  });

  test("[X39] what was deleted is not read, collected or not", () => {
    for (const gc of [true, false]) {
      const text = new Y.Doc({ gc }).getText();
      write(text, "one <b>two</b> three");
      text.delete(2, 4);
      text.delete(0, 1);
      expect(htmlOfYText(text)).toBe("n<b>o</b> three");
    }
  });

  test("[X39] formats that were taken back are not read", () => {
    const text = textOf("a <b>b</b> c");
    text.format(0, 5, { b: null });
    expect(htmlOfYText(text)).toBe("a b c");
    expect(readRichText(text)).toEqual([{ insert: "a b c" }]);
  });

  test("[X39] embedded objects and nested types are no text", () => {
    const text = textOf("ab");
    text.insertEmbed(1, { image: "x" });
    text.insertEmbed(2, new Y.Map());
    expect(htmlOfYText(text)).toBe("ab");
    expect(readRichText(text)).toEqual([{ insert: "ab" }]);
  });

  test("[X39] a text that is in no document yet is empty", () => {
    expect(htmlOfYText(new Y.Text())).toBe("");
    expect(readRichText(new Y.Text())).toEqual([]);
  });

  test("[X38] unknown formats are read and show nothing; values that are no format are left out", () => {
    const text = new Y.Doc().getText();
    text.insert(0, "a", { comment: "17", b: 1, i: { x: 1 }, s: false });
    text.insert(1, "b", Object.fromEntries([["__proto__", "x"]]));
    expect(readRichText(text)).toEqual([
      { insert: "a", attributes: { comment: "17" } },
      { insert: "b", attributes: Object.fromEntries([["__proto__", "x"]]) },
    ]);
    expect(htmlOfYText(text)).toBe("ab");
  });
});

describe("writing a Y.Text", () => {
  test.for<readonly [rule: string, before: string, after: string, delta: readonly unknown[]]>([
    ["[X34] a word added", "Buy milk", "Buy oat milk", [{ retain: 4 }, { insert: "oat " }]],
    ["[X34] a word taken away", "Buy oat milk", "Buy milk", [{ retain: 4 }, { delete: 4 }]],
    [
      "[X34] a word replaced",
      "Buy milk now",
      "Buy rice now",
      [{ retain: 4 }, { delete: 3 }, { insert: "rice" }, { delete: 1 }],
    ],
    ["[X34] letters at a word's end", "shop now", "shops now", [{ retain: 4 }, { insert: "s" }]],
    [
      "[X34] two words, far apart",
      "one two three four five",
      "1 two three four 5",
      [
        { delete: 2 },
        { insert: "1" },
        { delete: 1 },
        { retain: 16 },
        { delete: 3 },
        { insert: "5" },
        { delete: 1 },
      ],
    ],
    ["[X34] everything", "abc", "", [{ delete: 3 }]],
    ["[X34] from nothing", "", "abc", [{ insert: "abc" }]],
    [
      "[X34] a letter of a language without spaces",
      "今日は晴れです",
      "今日は雨です",
      [{ retain: 3 }, { delete: 1 }, { insert: "雨" }, { delete: 1 }],
    ],
    [
      "[X34] letters around one of a language without spaces",
      "a中b",
      "x中y",
      [{ insert: "x" }, { delete: 1 }, { retain: 1 }, { insert: "y" }, { delete: 1 }],
    ],
    [
      "[X34] a format alone",
      "Buy milk now",
      "Buy <b>milk</b> now",
      [{ retain: 4 }, { retain: 4, attributes: { b: true } }],
    ],
    [
      "[X34] a format taken away",
      "Buy <b>milk</b>",
      "Buy milk",
      [{ retain: 4 }, { retain: 4, attributes: { b: null } }],
    ],
    [
      "[X34] a format for one of two words",
      "<b>one two</b>",
      "<b>one</b> two",
      [{ retain: 3 }, { retain: 4, attributes: { b: null } }],
    ],
    [
      "[X34] an address changed",
      '<a href="https://e.org">x</a>',
      '<a href="https://f.org">x</a>',
      [{ retain: 1, attributes: { a: "https://f.org" } }],
    ],
    [
      "[X34] an entity for its character",
      "©",
      "&copy;",
      [{ retain: 1, attributes: { e: "&copy;" } }],
    ],
    [
      "[X35] one emoji for another",
      "a😀b",
      "a😁b",
      [{ retain: 1 }, { insert: "😁" }, { delete: 2 }],
    ],
    [
      "[X35] a letter for two emoji",
      "a😀😁b",
      "axb",
      [{ retain: 1 }, { delete: 2 }, { insert: "x" }, { delete: 2 }],
    ],
    [
      "[X35] another emoji with the same end",
      "\ud83d\ude00",
      "\ud83c\ude00",
      [{ insert: "\ud83c\ude00" }, { delete: 2 }],
    ],
    ["[X37] plain text behind bold", "<b>a</b>", "<b>a</b> b", [{ retain: 1 }, { insert: " b" }]],
    [
      "[X37] plain text in bold",
      "<b>ab</b>",
      "<b>a</b>-<b>b</b>",
      [{ retain: 1 }, { insert: "-" }],
    ],
    [
      "[X37] bold text in plain text",
      "a b",
      "a <b>x</b> b",
      [{ retain: 2 }, { insert: "x", attributes: { b: true } }, { insert: " " }],
    ],
    [
      "[X37] more bold text",
      "<b>a</b>",
      "<b>ab</b>",
      [{ retain: 1 }, { insert: "b", attributes: { b: true } }],
    ],
  ])("%s: %j becomes %j", ([, before, after, delta]) => {
    const text = textOf(before);
    const heard = deltaOf(text, () => {
      expect(write(text, after)).toBe(true);
    });
    expect(heard).toEqual(delta);
    expect(htmlOfYText(text)).toBe(after);
  });

  test("[X34] the same text makes no transaction", () => {
    const text = textOf("a <b>b</b> &copy;");
    let transactions = 0;
    text.doc?.on("afterTransaction", () => {
      transactions += 1;
    });
    expect(write(text, "a <b>b</b> &copy;")).toBe(false);
    expect(write(text, "a <b>b</b> &copy;", "a <b>b</b> &copy;")).toBe(false);
    expect(write(text, "x", "x")).toBe(false);
    expect(writeRichText(new Y.Text(), [])).toBe(false);
    expect(transactions).toBe(0);
  });

  test("[X34] a difference is one transaction", () => {
    const text = textOf("one two three");
    let transactions = 0;
    text.doc?.on("afterTransaction", () => {
      transactions += 1;
    });
    write(text, "<b>1</b> two <i>3</i>");
    expect(transactions).toBe(1);
  });

  test("[X34] a small edit is a small update", () => {
    const text = textOf("Buy milk at the shop around the corner");
    const doc = text.doc;
    if (doc !== null) doc.clientID = 1;
    expect(
      bytesOf(text, () => write(text, "Buy milk at the big shop around the corner")),
    ).toBeLessThan(32);
  });

  test("[X34] writes into a text before it is in a document", () => {
    const text = new Y.Text();
    const wanted = richTextOfHtml("a <b>b</b> <i>c</i>");
    expect(writeRichText(text, wanted)).toBe(true);
    new Y.Doc().getMap("nodes").set("x", text);
    expect(readRichText(text)).toEqual(wanted);
  });

  test("[X37] what is inserted has none of its neighbours' formats, unknown ones neither", () => {
    const text = new Y.Doc().getText();
    text.insert(0, "ab", { comment: "17", b: true });
    write(text, "<b>a</b>-<b>b</b>");
    expect(readRichText(text)).toEqual([
      { insert: "a", attributes: { comment: "17", b: true } },
      { insert: "-" },
      { insert: "b", attributes: { comment: "17", b: true } },
    ]);
  });

  test("[X38] unknown formats stay on text that stays", () => {
    const text = new Y.Doc().getText();
    text.insert(0, "one two", { comment: "17" });
    write(text, "one <b>two</b>");
    expect(readRichText(text)).toEqual([
      { insert: "one ", attributes: { comment: "17" } },
      { insert: "two", attributes: { comment: "17", b: true } },
    ]);
  });

  test("[X34] embedded objects stay where they are", () => {
    const text = textOf("one two three");
    text.insertEmbed(3, { image: "x" });
    write(text, "one 2 three <b>four</b>");
    expect(text.toDelta()).toEqual([
      { insert: "one" },
      { insert: { image: "x" } },
      { insert: " 2 three " },
      { insert: "four", attributes: { b: true } },
    ]);
    expect(write(text, "one 2 three <b>four</b>")).toBe(false);
  });
});

describe("writing with a base", () => {
  /** `now`, where others have come since `base`, after `wanted` was written. */
  function merged(base: string, wanted: string, now: string): string {
    const text = textOf(base);
    write(text, now);
    write(text, wanted, base);
    return htmlOfYText(text);
  }

  test.for<readonly [what: string, base: string, wanted: string, now: string, result: string]>([
    [
      "typing elsewhere",
      "Buy milk at the shop",
      "Buy milk at the big shop",
      "Buy 2% milk at the shop",
      "Buy 2% milk at the big shop",
    ],
    ["typing behind", "a", "b a", "a typed", "b a typed"],
    ["typing in front", "a", "a b", "typed a", "typed a b"],
    ["typing at the same place", "a b", "a wanted b", "a typed b", "a typed wanted b"],
    ["typing in a word that is replaced", "a word b", "a thing b", "a wo!rd b", "a thing! b"],
    [
      "typing at both ends of a word that is replaced",
      "a word b",
      "a thing b",
      "a xwordy b",
      "a xthingy b",
    ],
    [
      "typing in what is taken away",
      "one two three four",
      "one four",
      "one two typed three four",
      "one typed four",
    ],
    ["typing that both begin with", "a", "a b c", "a b", "a b c"],
    ["typing that both end with", "c", "a b c", "b c", "a b c"],
    ["more typing of theirs than of ours", "a", "a b", "a b c", "a b c"],
    ["more of theirs in front", "c", "b c", "a b c", "a b c"],
    ["a letter that begins our word", "x", "x apple", "x a", "x a apple"],
    ["a letter of a script without spaces", "", "你好", "好", "你好"],
    ["typing into nothing", "", "wanted", "typed", "typedwanted"],
    [
      "a word that others took away",
      "one two three",
      "one two three four",
      "one three",
      "one three four",
    ],
    ["a word that others replaced", "one two", "one two three", "one 2", "one 2 three"],
    ["a word that both took away", "one two three", "one three", "one three", "one three"],
    ["a word that both replaced", "one two", "one 2 three", "one 2", "one 2 three"],
    ["a word that both inserted", "a c d", "a b c d e", "a b c d", "a b c d e"],
    ["a style on what others typed around", "a b", "a <b>b</b>", "x a b y", "x a <b>b</b> y"],
    ["a style that others gave", "a b", "a b c", "a <b>b</b>", "a <b>b</b> c"],
    ["a style that both gave", "a b", "a <b>b</b>", "a <b>b</b>", "a <b>b</b>"],
    ["a style that others took away", "a <b>b</b>", "a <b>b</b> c", "a b", "a b c"],
    ["two styles", "a b", "a <b>b</b>", "a <i>b</i>", "a <b><i>b</i></b>"],
    [
      "an address",
      '<a href="https://e.org">x</a>',
      '<a href="https://f.org">x</a>',
      '<a href="https://e.org"><b>x</b></a>',
      '<a href="https://f.org"><b>x</b></a>',
    ],
    ["a style that we took away", "<b>a b</b>", "a b", "<b>a typed b</b>", "a <b>typed </b>b"],
    ["nothing of ours", "a", "a", "b", "b"],
    ["all of theirs gone", "a b", "c", "", "c"],
  ])("[X36] %s: %j → %j meets %j", ([, base, wanted, now, result]) => {
    expect(merged(base, wanted, now)).toBe(result);
  });

  test("[X36] without a difference of ours nothing is written", () => {
    const text = textOf("typed");
    expect(write(text, "a", "a")).toBe(false);
    expect(htmlOfYText(text)).toBe("typed");
  });

  test("[X36] beside an embedded object", () => {
    const text = textOf("one two");
    text.insertEmbed(4, { image: "x" });
    write(text, "one <i>two</i> three", "one two");
    expect(text.toDelta()).toEqual([
      { insert: "one " },
      { insert: { image: "x" } },
      { insert: "two", attributes: { i: true } },
      { insert: " three" },
    ]);
  });

  test("[X34] runs that are given are not changed", () => {
    const bold = { b: true } as const;
    const wanted: RichText = [
      { insert: "a", attributes: bold },
      { insert: "b", attributes: { i: true } },
      { insert: "c", attributes: bold },
    ];
    const text = new Y.Doc().getText();
    writeRichText(text, wanted);
    expect(bold).toEqual({ b: true });
    expect(htmlOfRichText(wanted)).toBe("<b>a</b><i>b</i><b>c</b>");
    expect(readRichText(text)).toEqual(wanted);
  });
});
