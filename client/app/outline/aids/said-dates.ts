import {
  type CalendarDate,
  dateLabel,
  dateMarkText,
  parseDateMark,
} from "../../../../src/core/text/dates.ts";
import type { Replica } from "../../../lib/replica.ts";
import { followDay, todayOf } from "../../state/follow-day.ts";
import { listen } from "../../state/listen.ts";
import { saidDate } from "./date-said.ts";

/**
 * Has dates read as a person says them ("tomorrow"), as long as nobody writes in their line: the text
 * stays what it is, and the style sheet shows `data-said` in its place. Answers how to stop.
 */
export function followDates(replica: Replica, root: HTMLElement): () => void {
  let today = todayOf(replica);
  const sayAll = (within: ParentNode): void => {
    for (const element of within.querySelectorAll<HTMLElement>("time[data-date]")) {
      say(element, today);
    }
  };
  const look = (): void => {
    today = todayOf(replica);
    sayAll(root);
  };
  const watch = new MutationObserver((changes) => {
    for (const { addedNodes, target } of changes) {
      for (const node of addedNodes) {
        if (node instanceof HTMLElement)
          sayAll(node.matches("time") ? (node.parentNode ?? node) : node);
      }
      // A letter that was typed into a date makes it a text of its own.
      const date = target instanceof Text && target.parentElement?.closest<HTMLElement>("time");
      if (date) say(date, today);
    }
  });
  watch.observe(root, { childList: true, characterData: true, subtree: true });
  look();
  const stops = [
    () => watch.disconnect(),
    followDay(replica, look),
    replica.onReplaced(look),
    listen(root, { mousedown: keepSaid }),
  ];
  return () => stops.forEach((stop) => stop());
}

/** A press on a date asks for the date: a caret would change the text under the mouse meanwhile. */
function keepSaid(event: MouseEvent): void {
  const date = event.target instanceof Element && event.target.closest("time[data-said]");
  if (date && date.closest(".rich-text") !== document.activeElement) event.preventDefault();
}

function say(element: HTMLElement, today: CalendarDate): void {
  const mark = parseDateMark(element.dataset["date"] ?? "");
  if (mark === undefined) return;
  const { text, when } = saidDate(mark, today);
  element.dataset["when"] = when;
  // Words that somebody has chosen stay.
  const isUsual = element.textContent === dateLabel(dateMarkText(mark));
  if (isUsual) element.dataset["said"] = text;
  else delete element.dataset["said"];
}
