import { afterAll, beforeAll, expect, test } from "vitest";
import { EditorPage } from "./editor-page.ts";

let page: EditorPage;
beforeAll(async () => {
  page = await EditorPage.launch();
});
afterAll(() => page.close());

/** What page and document show alike, with the caret where it should be. */
async function expectText(html: string, caret: number, shown = html): Promise<void> {
  expect(await page.state()).toEqual({
    html,
    shown,
    selection: { anchor: caret, head: caret },
  });
}

test("[W1] what is typed is in the document, at the place where it was typed", async () => {
  await page.open("hello world", 5);
  await page.type(" big");
  await expectText("hello big world", 9);
  await page.press("Backspace");
  await page.press("Delete");
  await expectText("hello biworld", 8);
  await page.open("aaaa", 2);
  await page.run((fixture) => fixture.format(2, 4, "b", true));
  await page.type("a");
  await expectText("aaa<b>aa</b>", 3, "aaaaa");
  await page.open("");
  await page.type("first");
  await expectText("first", 5);
  for (let count = 0; count < 5; count++) await page.press("Backspace");
  await page.type("a  b ");
  await expectText("a  b ", 5);
});

test("[W103] an address is a link that leads where its text says, also while that is written", async () => {
  const links = () =>
    page.page.evaluate(() =>
      [...document.querySelectorAll("#name a")].map((link) => link.getAttribute("href")),
    );
  await page.open("see ", 4);
  await page.type("https://x.y");
  expect(await links()).toEqual(["https://x.y"]);
  await page.type("z/");
  expect(await links()).toEqual(["https://x.yz/"]);
  await page.type(". ok");
  await expectText("see https://x.yz/. ok", 21);
  expect(await links()).toEqual(["https://x.yz/"]);
  await page.select(5);
  await page.press("Backspace");
  await expectText("see ttps://x.yz/. ok", 4);
  expect(await links()).toEqual([]);
});

test("[W100] nothing in a text is a class of the page", async () => {
  await page.open("a long line of text");
  await page.run((fixture) => {
    fixture.format(2, 6, "span", "colored scrim c-red notices");
    fixture.format(7, 11, "mark", "notice colored bc-yellow");
    fixture.format(12, 14, "span", "scrim");
  });
  const seen = await page.page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>("#name *")];
    return all.map(({ tagName, className, dataset }) => [tagName, className, dataset["colours"]]);
  });
  expect(seen).toEqual([
    ["SPAN", "", "colored c-red"],
    ["MARK", "", "colored bc-yellow"],
  ]);
  const colour = await page.page.evaluate(() => {
    const [span, mark] = document.querySelectorAll("#name [data-colours]");
    const styleOf = (element: Element | undefined) => element && getComputedStyle(element);
    return {
      letters: styleOf(span)?.color !== styleOf(document.body)?.color,
      behind: styleOf(mark)?.backgroundColor !== styleOf(document.body)?.backgroundColor,
    };
  });
  expect(colour).toEqual({ letters: true, behind: true });
});

test("[W1] typing leaves the page as the browser makes it", async () => {
  await page.open("hello <b>bold</b> world", 5);
  await page.run((fixture) => fixture.watchPage());
  await page.type("xyz");
  await page.select(12);
  await page.type("xyz");
  expect(await page.run((fixture) => fixture.pageChanges)).toBe(6);
  await expectText(
    "helloxyz <b>boldxyz</b> world".replace("boldxyz", "bolxyzd"),
    15,
    "helloxyz bolxyzd world",
  );
});

test("[W1] what is refused is taken off the page again", async () => {
  await page.open("a <b>b</b>", 3);
  await page.run((fixture) => (fixture.isReadOnly = true));
  await page.type("xy");
  await page.press("Backspace");
  await page.run((fixture) => fixture.toggle("i"));
  const { html, shown } = await page.state();
  expect([html, shown]).toEqual(["a <b>b</b>", "a b"]);
  expect(await page.run((fixture) => fixture.markup())).toBe("a <b>b</b>");
  await page.run((fixture) => (fixture.isReadOnly = false));
});

test("[W2] a selection is replaced, backwards too, and words are deleted", async () => {
  await page.open("one <b>two</b> three", 7, 4);
  expect((await page.state()).selection).toEqual({ anchor: 7, head: 4 });
  await page.type("X");
  await expectText("one <b>X</b> three", 5, "one X three");
  await page.press("Control+Backspace");
  await expectText("one  three", 4);
  await page.select(0, 10);
  await page.press("Delete");
  await expectText("", 0);
});

test("[W2] emoji are typed and deleted as a whole, next to each other and next to letters", async () => {
  await page.open("a😀b", 3);
  await page.insert("😁");
  await expectText("a😀😁b", 5);
  await page.press("Backspace");
  await expectText("a😀b", 3);
  await page.press("Backspace");
  await expectText("ab", 1);
  await page.open("😀", 0, 2);
  await page.insert("😁");
  await expectText("😁", 2);
  await page.open("👩‍👩‍👧", 8);
  await page.type("x");
  await expectText("👩‍👩‍👧x", 9);
});

test("[W3] what others write is shown, and the caret keeps its place", async () => {
  await page.open("hello world", 5);
  await page.run((fixture) => fixture.remote(0, 0, "REMOTE "));
  await expectText("REMOTE hello world", 12);
  await page.type("!");
  await expectText("REMOTE hello! world", 13);
  await page.run((fixture) => fixture.remote(13, 6, ""));
  await expectText("REMOTE hello!", 13);
});

test("[W3] what others write at the caret comes behind it, twice too, and outside a selection", async () => {
  await page.open("hello world", 5);
  await page.run((fixture) => fixture.remote(5, 0, "1"));
  await page.run((fixture) => fixture.remote(5, 0, "2"));
  await expectText("hello21 world", 5);
  await page.type("a");
  await expectText("helloa21 world", 6);
  await page.open("hello world", 6, 11);
  await page.run((fixture) => {
    fixture.remote(11, 0, "!");
    fixture.remote(6, 0, "?");
  });
  expect((await page.state()).selection).toEqual({ anchor: 7, head: 12 });
  await page.select(11, 6);
  await page.run((fixture) => fixture.remote(0, 3, ""));
  expect((await page.state()).selection).toEqual({ anchor: 8, head: 3 });
  await page.type("x");
  expect((await page.state()).html).toBe("lo xd!");
});

test("[W4] an input method composes, and what it ends with is in the document", async () => {
  await page.open("hello world", 5);
  for (const text of ["に", "にh", "にほ", "にほん"]) await page.compose(text);
  await page.insert("日本");
  await expectText("hello日本 world", 7);
  await page.compose("ka");
  await page.compose("");
  await expectText("hello日本 world", 7);
});

test("[W4] while an input method composes the page is not touched, whatever others do", async () => {
  await page.open("hello world", 5);
  await page.compose("にほ");
  await page.run((fixture) => fixture.watchPage());
  await page.run((fixture) => fixture.remote(0, 0, "REMOTE "));
  await page.run((fixture) => fixture.remote(15, 3, "th"));
  await page.run((fixture) => fixture.remoteLayout("h1"));
  expect(await page.run((fixture) => fixture.pageChanges)).toBe(0);
  expect((await page.state()).shown).toBe("helloにほ world");
  await page.insert("日本");
  await expectText("REMOTE hello日本 woth", 14);
  expect(await page.run((fixture) => fixture.remoteText)).toBe("REMOTE hello日本 woth");
});

test("[W4] what others write where is composed stays, behind it and before it", async () => {
  await page.open("ab", 1);
  await page.compose("x");
  await page.run((fixture) => fixture.remote(1, 0, "1"));
  await page.run((fixture) => fixture.remote(2, 0, "2"));
  await page.insert("xyz");
  await expectText("axyz12b", 4);
  // A word that is composed anew, as on phones, while somebody writes into it.
  await page.open("one word two", 4, 8);
  await page.compose("words");
  await page.run((fixture) => fixture.remote(6, 0, "--"));
  await page.insert("words");
  await expectText("one wo--rds two", 11);
  await page.open("one word two", 4, 8);
  await page.compose("xyz");
  await page.run((fixture) => {
    fixture.remote(6, 0, "--");
    fixture.remote(9, 1, "++");
  });
  await page.insert("xyz");
  await expectText("one xyz--++ two", 7);
});

test("[W4] while an input method composes a text is not cut, and the next word is composed as well", async () => {
  await page.open("ab", 2);
  await page.compose("wo");
  expect(await page.run((fixture) => fixture.offer("insertParagraph"))).toBe(false);
  expect(await page.run((fixture) => fixture.offer("formatBold"))).toBe(false);
  expect(await page.run((fixture) => fixture.offer("deleteContentBackward"))).toBe(true);
  expect(await page.run((fixture) => fixture.told)).toEqual([]);
  await page.insert("word ");
  await page.compose("ne");
  await page.insert("next");
  await expectText("abword next", 11);
});

test("[W4] what is composed when the page is hidden is in the document, and composed on", async () => {
  await page.open("hello world", 5);
  await page.compose("にほ");
  await page.run((fixture) => fixture.watchPage());
  await page.run((fixture) => fixture.keepComposed());
  expect(await page.run((fixture) => fixture.pageChanges)).toBe(0);
  expect((await page.state()).html).toBe("helloにほ world");
  await page.run((fixture) => fixture.remote(0, 0, "R "));
  await page.compose("にほん");
  await page.insert("日本");
  await expectText("R hello日本 world", 9);
  // With what others wrote meanwhile it ends.
  await page.compose("x");
  await page.run((fixture) => fixture.remote(0, 2, ""));
  await page.run((fixture) => fixture.keepComposed());
  await expectText("hello日本x world", 8);
});

test("[W4] a composition that the focus leaves is kept", async () => {
  await page.open("ab", 1);
  await page.compose("にほ");
  await page.run((fixture) => fixture.remote(0, 0, "R"));
  await page.page.locator("#note").focus();
  expect((await page.state()).html).toBe("Raにほb");
  expect((await page.state()).shown).toBe("Raにほb");
  expect(await page.page.evaluate("document.activeElement.id")).toBe("note");
});

test("[W5] a word that is replaced, as by a spell checker, is replaced in the document", async () => {
  await page.open("teh <b>cat</b> teh", 0, 3);
  await page.page.evaluate(`document.execCommand("insertText", false, "the")`);
  await expectText("the <b>cat</b> teh", 3, "the cat teh");
  // Whatever comes with it, only the text is taken.
  await page.select(4, 7);
  await page.page.evaluate(`document.execCommand("insertHTML", false, "<img src=x><i>dog</i>")`);
  await expectText("the <b>dog</b> teh", 7, "the dog teh");
  expect(await page.run((fixture) => fixture.markup())).toBe("the <b>dog</b> teh");
});

test("[W213] what something else writes onto the page is not taken for typed", async () => {
  await page.open("the <b>cloud</b> is up", 3);
  await page.page.evaluate(`document.querySelector("#name b").textContent = "butt"`);
  await page.type("y");
  await expectText("they <b>cloud</b> is up", 4, "they cloud is up");
});

test("[W6] text is formatted like what is before it, and links and code do not grow at their end", async () => {
  await page.open('<b>bold</b> <a href="https://a.org">link</a>', 4);
  await page.type("er");
  await expectText('<b>bolder</b> <a href="https://a.org">link</a>', 6, "bolder link");
  await page.press("End");
  await page.type("s!");
  await expectText('<b>bolder</b> <a href="https://a.org">link</a>s!', 13, "bolder links!");
  await page.select(9);
  await page.type("-");
  await expectText('<b>bolder</b> <a href="https://a.org">li-nk</a>s!', 10, "bolder li-nks!");
  await page.open("<code>x</code>", 1);
  await page.type("y");
  await page.press("Home");
  await page.type("z");
  await expectText("z<code>x</code>y", 1, "zxy");
});

test("[W6] a format that is switched at the caret holds for what is typed next", async () => {
  await page.open("ab", 1);
  await page.run((fixture) => fixture.toggle("b"));
  await page.type("XY");
  await page.run((fixture) => fixture.toggle("b"));
  await page.type("z");
  await expectText("a<b>XY</b>zb", 4, "aXYzb");
  await page.run((fixture) => fixture.toggle("i"));
  await page.press("ArrowLeft");
  await page.type("-");
  await expectText("a<b>XY-</b>zb", 4, "aXY-zb");
  await page.run((fixture) => fixture.toggle("i"));
  await page.run((fixture) => fixture.remote(0, 1, "12"));
  await page.type("!");
  await expectText("12<b>XY-<i>!</i></b>zb", 6, "12XY-!zb");
  await page.open("aXYzb-");
  await page.select(0, 5);
  await page.run((fixture) => fixture.toggle("b"));
  await page.run((fixture) => fixture.toggle("i"));
  await page.run((fixture) => fixture.toggle("b"));
  expect((await page.state()).html).toBe("<i>aXYzb</i>-");
  expect((await page.state()).selection).toEqual({ anchor: 0, head: 5 });
});

test("[W7] undo from the browser's own menu is our undo", async () => {
  await page.open("abc", 3);
  await page.type("def");
  await page.press("Control+z");
  await page.press("Control+z");
  const { html, shown } = await page.state();
  expect([html, shown]).toEqual(["abc", "abc"]);
  await page.run((fixture) => fixture.redo());
  await expectText("abcdef", 6);
  await page.press("Control+b");
  expect((await page.state()).html).toBe("abcdef");
});

test("[W8] closed markdown becomes a format, and undoing it brings the marks back", async () => {
  await page.open("");
  await page.type("a **b c** d *i* ~~s~~ `c*d*` [t](https://x.org)! 2 * 3 * 4 a*b*c");
  expect((await page.state()).html).toBe(
    'a <b>b c</b> d <i>i</i> <s>s</s> <code>c*d*</code> <a href="https://x.org">t</a>! 2 * 3 * 4 a*b*c',
  );
  await page.open("");
  await page.type("x **y**");
  await expectText("x <b>y</b>", 3, "x y");
  await page.run((fixture) => fixture.undo());
  await expectText("x **y**", 7);
  await page.run((fixture) => fixture.redo());
  await expectText("x <b>y</b>", 3, "x y");
  await page.open("");
  await page.type("**y**z");
  await expectText("<b>y</b>z", 2, "yz");
  await page.open("");
  await page.type("[t](javascript:alert(1)) **b");
  await page.press("Home");
  await page.press("Delete");
  await page.type("[");
  await expectText("[t](javascript:alert(1)) **b", 1);
});

test("[W9] a prefix at the start makes the layout, and is undone as a step of its own", async () => {
  const layoutAfter = async (text: string): Promise<string> => {
    await page.open("rest", 0);
    await page.type(text);
    expect((await page.state()).shown).toBe("rest");
    expect((await page.state()).selection).toEqual({ anchor: 0, head: 0 });
    return page.run((fixture) => `${fixture.layout}${fixture.isCompleted ? " done" : ""}`);
  };
  expect(await layoutAfter("# ")).toBe("h1");
  expect(await layoutAfter("## ")).toBe("h2");
  expect(await layoutAfter("### ")).toBe("h3");
  expect(await layoutAfter("> ")).toBe("quote-block");
  expect(await layoutAfter("- [ ] ")).toBe("todo");
  expect(await layoutAfter("- [x] ")).toBe("todo done");
  expect(await layoutAfter("```")).toBe("code-block");
  await page.run((fixture) => fixture.undo());
  await expectText("```rest", 3);
  expect(await page.run((fixture) => fixture.layout)).toBe("bullets");
  await page.open("a # b", 2);
  await page.type(" ");
  await expectText("a  # b", 3);
});

test("[W10] Enter ends a line in a note and in code, elsewhere it is left to the row", async () => {
  await page.open("name", 4);
  await page.press("Enter");
  await expectText("name", 4);
  expect(await page.run((fixture) => fixture.told)).toEqual(["break"]);
  await page.run((fixture) => {
    fixture.open("", "one");
    fixture.select(3, 3, "note");
  });
  await page.press("Enter");
  await page.type("two");
  await page.press("Enter");
  const { html, shown, selection } = await page.state("note");
  expect([html, shown, selection]).toEqual(["one\ntwo\n", "one\ntwo\n", { anchor: 8, head: 8 }]);
  await page.type("x");
  expect((await page.state("note")).html).toBe("one\ntwo\nx");
  await page.run((fixture) => {
    fixture.open("a <b>c</b>", "", "code-block");
    fixture.select(1);
  });
  await page.press("Enter");
  await page.type("**x** # ");
  expect((await page.state()).html).toBe("a\n**x** #  <b>c</b>");
  expect(await page.run((fixture) => fixture.markup())).toBe("a\n**x** #  c");
});

test("[X31] tabs of code are shown, and stay when something is typed beside and over them", async () => {
  await page.run((fixture) => {
    fixture.open("all:\n\tgo\tbuild", "", "code-block");
    fixture.select(6);
  });
  await page.type("x");
  expect(await page.state()).toMatchObject({
    html: "all:\n\txgo\tbuild",
    shown: "all:\n\txgo\tbuild",
  });
  await page.press("Backspace");
  await page.press("Backspace");
  await page.page.evaluate(`document.execCommand("insertText", false, "\\t\\t")`);
  await page.type("y");
  expect((await page.state()).shown).toBe("all:\n\t\tygo\tbuild");
  expect((await page.state()).html).toBe("all:\n\t\tygo\tbuild");
  await page.open("name", 4);
  await page.page.evaluate(`document.execCommand("insertText", false, "\\ta")`);
  await page.type("b");
  await expectText("name ab", 7);
});

test("[W10] a note is made when something is typed into it", async () => {
  await page.open("name");
  await page.run((fixture) => fixture.select(0, 0, "note"));
  await page.type("n");
  await page.type("ote");
  await page.run((fixture) => fixture.remote(0, 0, "their ", "note"));
  expect(await page.state("note")).toEqual({
    html: "their note",
    shown: "their note",
    selection: { anchor: 10, head: 10 },
  });
});

test("[W11] what is shown is built of elements, never of markup, and links go where they may", async () => {
  await page.open(
    "&lt;img src=x onerror=alert(1)&gt; #tag, @ann x@y <b>#bold</b> <code>#no</code>",
  );
  await page.run((fixture) => fixture.format(0, 2, "a", "#/0123456789ab"));
  expect(await page.run((fixture) => fixture.markup())).toBe(
    '<a href="#/0123456789ab" rel="noopener noreferrer">&lt;i</a>mg src=x onerror=alert(1)&gt; ' +
      '<span data-tag="#tag">#tag</span>, <span data-tag="@ann">@ann</span> x@y ' +
      '<b><span data-tag="#bold">#bold</span></b> <code>#no</code>',
  );
  await page.run((fixture) => fixture.remoteFormat(0, 4, "a", "javascript:alert(1)"));
  expect(await page.run((fixture) => fixture.markup())).toContain("&lt;img src=x");
  expect(await page.run((fixture) => fixture.markup())).not.toContain("javascript");
});

test("[W11] tags, dates and links tell when they are clicked", async () => {
  await page.open(
    'a #tag <time startYear="2026" startMonth="8" startDay="1">Sat, Aug 1, 2026</time> <a href="https://x.org/">link</a>',
  );
  await page.page.locator("#name [data-tag]").click();
  await page.page.locator("#name time").click();
  await page.page.locator("#name a").click();
  expect(await page.run((fixture) => fixture.told)).toEqual([
    "tag #tag",
    "date 2026-08-01 7-23",
    "link https://x.org/",
  ]);
});

test("[W12] a tag is one as soon as it is typed, and stays one while it grows", async () => {
  await page.open("to ", 3);
  await page.type("#home now");
  expect(await page.run((fixture) => fixture.markup())).toBe(
    'to <span data-tag="#home">#home</span> now',
  );
  await page.select(8);
  await page.type("s");
  await expectText("to #homes now", 9);
  expect(await page.run((fixture) => fixture.markup())).toBe(
    'to <span data-tag="#homes">#homes</span> now',
  );
});

test("[W13] text that is dropped or pasted without anybody caring for it is plain", async () => {
  await page.open("one two", 3);
  await page.run((fixture) => fixture.paste("<b>x</b>\n y", "<b>x</b>"));
  await expectText("one&lt;b&gt;x&lt;/b&gt; y two", 13, "one<b>x</b> y two");
});

test("[W14] a letter in a name of 100,000 characters costs the page and the document a letter", async () => {
  const words = "lorem ipsum #dolor sit amet, consectetur adipiscing elit ";
  await page.open(words.repeat(Math.ceil(100_000 / words.length)), 50_000);
  await page.run((fixture) => fixture.watchInput());
  await page.type("abcdefghijklmnopqrst");
  const { html, shown } = await page.state();
  expect(html).toBe(shown);
  expect(html.slice(49_995, 50_025)).toContain("abcdefghijklmnopqrst");
  const { letters, nodes, bytes } = await page.run((fixture) => fixture.inputCost());
  expect(letters).toBe(20);
  // Nodes of the page that are changed, and bytes of updates that are made.
  expect(nodes).toBeLessThan(5 * letters);
  expect(bytes).toBeLessThan(100 * letters);
});

test("[W15] an editor that is disposed of follows nothing any more", async () => {
  await page.open("abc", 1);
  await page.run((fixture) => fixture.dispose());
  await page.run((fixture) => fixture.remote(0, 0, "R"));
  expect(await page.run((fixture) => [fixture.markup(), fixture.isEditable])).toEqual([
    "abc",
    false,
  ]);
});

test("[W16] whatever is typed, deleted, formatted and written by others, page and document agree", async () => {
  for (let seed = 1; seed <= 40; seed++) {
    expect(await page.run((fixture, number) => fixture.playAtRandom(number, 60), seed)).toBe(
      undefined,
    );
  }
});
