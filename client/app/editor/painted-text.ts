import { nodeOfSegment } from "./segment-node.ts";
import { isSameKind, type Segment } from "./segments.ts";

/** What stands on the page for a segment. */
interface Painted {
  readonly segment: Segment;
  readonly node: Text | HTMLElement;
  /** The text in the node; absent in the line break at the end. */
  readonly leaf: Text | undefined;
}

/** Stands behind a line break that ends the text: without it the last, empty line is not shown. */
const END: Segment = { text: "", formats: undefined, tag: undefined };

/**
 * The content of an editable element. The browser changes it under our hands, so painting looks at
 * what is really there, and touches only what is not as it should be.
 */
export class PaintedText {
  readonly #element: HTMLElement;
  #painted: readonly Painted[] = [];

  constructor(element: HTMLElement) {
    this.#element = element;
    element.replaceChildren();
  }

  /** The characters on the page. */
  get text(): string {
    return this.#element.textContent ?? "";
  }

  /** Whether the text before an offset ends with the first half of a surrogate pair alone. */
  isHalfTyped(at: number): boolean {
    const { text } = this;
    return isHighSurrogate(text.charCodeAt(at - 1)) && !isLowSurrogate(text.charCodeAt(at));
  }

  /** Shows segments. @returns whether the page had to be touched: the selection may be lost then */
  paint(segments: readonly Segment[]): boolean {
    const wanted = segments.at(-1)?.text.endsWith("\n") === true ? [...segments, END] : segments;
    const old = this.#painted;
    const shorter = Math.min(old.length, wanted.length);
    const kept: Painted[] = [];
    let first = this.#element.firstChild;
    for (let head = 0; head < shorter; head++) {
      const same = stillShown(old[head], wanted[head], first);
      if (same === undefined) break;
      kept.push(same);
      first = first?.nextSibling ?? null;
    }
    const keptBehind: Painted[] = [];
    let last = this.#element.lastChild;
    for (let tail = 1; tail <= shorter - kept.length; tail++) {
      const same = stillShown(old.at(-tail), wanted.at(-tail), last);
      if (same === undefined) break;
      keptBehind.unshift(same);
      last = last?.previousSibling ?? null;
    }
    const behind = keptBehind[0]?.node ?? null;
    const fresh = wanted.slice(kept.length, wanted.length - keptBehind.length);
    const isRight = fresh.length === 0 && first === behind;
    const stale = old.slice(kept.length, old.length - keptBehind.length);
    const middle = isRight ? [] : this.#replace(first, behind, stale, fresh);
    this.#painted = [...kept, ...middle.map(({ painted }) => painted), ...keptBehind];
    return !isRight && !middle.every(({ isAdopted }) => isAdopted);
  }

  /** Puts nodes for `fresh` in the place of everything from one node up to another. */
  #replace(
    first: ChildNode | null,
    behind: ChildNode | null,
    stale: readonly Painted[],
    fresh: readonly Segment[],
  ): readonly { readonly painted: Painted; readonly isAdopted: boolean }[] {
    const [segment] = fresh;
    if (segment !== undefined && fresh.length === 1 && first?.nextSibling === behind) {
      if (first instanceof Text && first.data === segment.text && isPlain(segment)) {
        // The browser put it there when the first letter was typed.
        return [{ painted: { segment, node: first, leaf: first }, isAdopted: true }];
      }
      const painted = stale.length === 1 ? stale[0] : undefined;
      if (painted?.node === first && isSameKind(painted.segment, segment) && isWhole(painted)) {
        return [{ painted: renewed(painted, segment), isAdopted: false }];
      }
    }
    for (let node = first; node !== null && node !== behind;) {
      const next: ChildNode | null = node.nextSibling;
      node.remove();
      node = next;
    }
    const page = this.#element.ownerDocument;
    return fresh.map((each) => {
      const made =
        each === END
          ? { node: page.createElement("br"), leaf: undefined }
          : nodeOfSegment(page, each);
      this.#element.insertBefore(made.node, behind);
      return { painted: { ...made, segment: each }, isAdopted: false };
    });
  }
}

/** What stands for a segment already, if it is at `node` and as it should be. */
function stillShown(
  painted: Painted | undefined,
  segment: Segment | undefined,
  node: ChildNode | null,
): Painted | undefined {
  if (painted === undefined || segment === undefined || painted.node !== node) return undefined;
  if (painted.segment === END || segment === END) {
    return painted.segment === segment ? painted : undefined;
  }
  const isRight =
    painted.leaf?.data === segment.text &&
    painted.segment.tag === segment.tag &&
    painted.segment.href === segment.href &&
    isSameKind(painted.segment, segment) &&
    isWhole(painted);
  return isRight ? { ...painted, segment } : undefined;
}

/** Whether nothing but the text is in the node, at any level. */
function isWhole({ node, leaf }: Painted): boolean {
  if (leaf === undefined) return false;
  for (let up: Node = leaf; up !== node;) {
    if (up.parentNode === null || up.previousSibling !== null || up.nextSibling !== null) {
      return false;
    }
    up = up.parentNode;
  }
  return true;
}

function renewed(painted: Painted, segment: Segment): Painted {
  const { leaf } = painted;
  if (leaf !== undefined && leaf.data !== segment.text) leaf.data = segment.text;
  const tag = leaf?.parentElement?.closest<HTMLElement>("[data-tag]");
  if (tag && segment.tag !== undefined) tag.dataset["tag"] = segment.tag;
  if (segment.href !== undefined)
    leaf?.parentElement?.closest("a")?.setAttribute("href", segment.href);
  return { ...painted, segment };
}

function isPlain({ formats, tag, href }: Segment): boolean {
  return (
    tag === undefined &&
    href === undefined &&
    (formats === undefined || Object.keys(formats).length === 0)
  );
}

/** NaN, which stands for no character, is neither. */
function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
