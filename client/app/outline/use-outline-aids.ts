import { useLayoutEffect, useState } from "preact/hooks";
import { loadHtml } from "../late/late-html.ts";
import { tellPartMissing } from "../page/part-missing.ts";
import type { Keyboard } from "./focus/keyboard.ts";
import type { OutlineAids } from "./aids/outline-aids.tsx";
import type { OutlineScreen } from "./focus/outline-screen.ts";

/** Fetches what helps with writing, as soon as there are rows to write in; undefined until then. */
export function useOutlineAids(
  screen: OutlineScreen,
  root: { readonly current: HTMLElement | null },
  keyboard: Keyboard,
): OutlineAids | undefined {
  const [aids, setAids] = useState<OutlineAids>();
  useLayoutEffect(() => {
    let made: OutlineAids | undefined;
    let isWanted = true;
    const fetchAids = async (): Promise<void> => {
      // What they paste and import is HTML on its way.
      const [module] = await Promise.all([import("./aids/outline-aids.tsx"), loadHtml()]);
      if (!isWanted || root.current === null) return;
      made = new module.OutlineAids(screen, root.current, keyboard);
      setAids(made);
    };
    fetchAids().catch(() => tellPartMissing(screen.workspace.notices));
    return () => {
      isWanted = false;
      made?.close();
    };
  }, [screen, root, keyboard]);
  return aids;
}
