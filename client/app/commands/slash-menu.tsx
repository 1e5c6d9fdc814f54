import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useSource } from "../state/use-source.ts";
import type { OpenSlash, SlashState } from "./slash-state.ts";
import "./slash-menu.css";

/** What a slash, two brackets or the mark of a tag offer, below the caret. */
export function SlashMenu({ slash }: { readonly slash: SlashState }) {
  const open = useSource(slash.open);
  return open === undefined || open.items.length === 0 ? null : (
    <OpenMenu slash={slash} open={open} />
  );
}

const GAP_PX = 6;
const ID = "slash-menu";
const LABELS = { command: "Commands", date: "Commands", line: "Lines", tag: "Tags" } as const;

function OpenMenu({ slash, open }: { readonly slash: SlashState; readonly open: OpenSlash }) {
  const list = useRef<HTMLUListElement>(null);
  const [place, setPlace] = useState({ left: 0, top: 0 });
  const { active, items, at, id } = open;
  useLayoutEffect(() => {
    const put = (): void => {
      const box = list.current?.getBoundingClientRect();
      const caret = caretBox();
      if (box === undefined || caret === undefined) return;
      const hasRoom = caret.bottom + GAP_PX + box.height < (visualViewport?.height ?? innerHeight);
      setPlace({
        left: Math.max(GAP_PX, Math.min(caret.left, innerWidth - box.width - GAP_PX)),
        top: hasRoom ? caret.bottom + GAP_PX : Math.max(GAP_PX, caret.top - GAP_PX - box.height),
      });
    };
    put();
    // A line that was just made has the caret only then.
    const frame = requestAnimationFrame(put);
    return () => cancelAnimationFrame(frame);
  }, [id, at, items.length]);
  useLayoutEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
    // The text keeps the focus; it says to screen readers which line of the menu is meant.
    const field = document.activeElement;
    field?.setAttribute("aria-controls", ID);
    if (active >= 0) field?.setAttribute("aria-activedescendant", `${ID}-${active}`);
    return () => {
      field?.removeAttribute("aria-controls");
      field?.removeAttribute("aria-activedescendant");
    };
  }, [active, items]);
  return (
    <ul
      ref={list}
      id={ID}
      class="popover slash-menu"
      role="listbox"
      aria-label={LABELS[items[0]?.kind ?? "command"]}
      style={{ left: `${place.left}px`, top: `${place.top}px` }}
      onPointerDown={(event) => event.preventDefault()}
    >
      {items.map(({ id, label, hint, kind }, index) => (
        <li
          key={id}
          id={`${ID}-${index}`}
          role="option"
          aria-selected={index === active}
          data-kind={kind}
          onClick={() => slash.choose(index)}
        >
          <span>{label}</span>
          {hint !== undefined &&
            (kind === "command" || kind === "date" ? <kbd>{hint}</kbd> : <small>{hint}</small>)}
        </li>
      ))}
    </ul>
  );
}

function caretBox(): DOMRect | undefined {
  const selection = getSelection();
  if (selection === null || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0);
  const box = range.getClientRects()[0];
  if (box !== undefined && box.height > 0) return box;
  return document.activeElement?.getBoundingClientRect();
}
