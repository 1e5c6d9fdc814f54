import { parseQuery } from "../../../src/core/search/parse-query.ts";
import type { Query } from "../../../src/core/search/query.ts";
import { spansIn } from "../../../src/core/search/spans.ts";
import type { Workspace } from "../state/workspace.ts";

/** What the style sheet calls it. */
const NAME = "search";

/**
 * Lets what a search looks for glow in the texts that are shown. The page's elements stay as they are:
 * it is painted over them, where the browser can. Answers how to stop.
 */
export function followGlow({ rows, replica }: Workspace, root: HTMLElement): () => void {
  // Not in every browser.
  const registry = (CSS as Partial<typeof CSS>).highlights;
  if (registry === undefined) return () => {};
  let frame = 0;
  const paint = (): void => {
    frame = 0;
    const text = rows.query.get();
    if (text === "") {
      registry.delete(NAME);
      return;
    }
    const { outline } = replica;
    const context = { nowMs: outline.now(), timezone: outline.settings().timezone };
    const query = parseQuery(text, context);
    registry.set(NAME, new Highlight(...rangesOf(root, query)));
  };
  const renew = (): void => {
    if (frame === 0) frame = requestAnimationFrame(paint);
  };
  const watch = new MutationObserver(renew);
  const follow = (): void => {
    watch.disconnect();
    if (rows.query.get() !== "")
      watch.observe(root, { childList: true, characterData: true, subtree: true });
    renew();
  };
  const stop = rows.query.subscribe(follow);
  follow();
  return () => {
    stop();
    watch.disconnect();
    cancelAnimationFrame(frame);
    registry.delete(NAME);
  };
}

function* rangesOf(root: HTMLElement, query: Query): Generator<Range> {
  for (const element of root.querySelectorAll<HTMLElement>("[data-part=name], [data-part=note]")) {
    const isContext = element.closest("[data-context]") !== null;
    const wanted = isContext ? query.above : query;
    if (wanted === undefined) continue;
    if (wanted.inNotes && element.dataset["part"] === "name") continue;
    yield* rangesIn(element, spansIn(element.textContent ?? "", wanted));
  }
}

/** The stretches of a text, in order and apart from each other, as ranges in its nodes. */
function* rangesIn(
  element: HTMLElement,
  spans: readonly (readonly [number, number])[],
): Generator<Range> {
  if (spans.length === 0) return;
  const page = element.ownerDocument;
  const walker = page.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let start = 0;
  let node = walker.nextNode();
  const reach = (at: number): void => {
    while (node !== null && start + (node.nodeValue?.length ?? 0) < at) {
      start += node.nodeValue?.length ?? 0;
      node = walker.nextNode();
    }
  };
  for (const [from, to] of spans) {
    // At the end of one text begins the next.
    reach(from + 1);
    if (node === null) return;
    const range = page.createRange();
    range.setStart(node, from - start);
    reach(to);
    if (node === null) return;
    range.setEnd(node, to - start);
    yield range;
  }
}
