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

test("[W1] what is typed is in the document, and the browser's own page is left as it is", async () => {
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
});

test("[W1] typing does not touch the page", async () => {
  await page.open("hello <b>bold</b> world", 5);
  const own = await page.page.evaluateHandle("window.fixture.watchPage()");
  await page.type("xyz");
  // One change of the text node for each letter: the browser's own.
  expect(await own.evaluate("(count) => count()")).toBeUndefined();
});
