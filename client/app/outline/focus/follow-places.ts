import { isRecord } from "../../page/is-record.ts";
import { keyOfHash, queryOfHash } from "../rows/hash-place.ts";
import { type LeftPlace, LeftPlaces } from "./left-places.ts";
import type { OutlineScreen } from "./outline-screen.ts";

/** In the storage of the tab. */
const STORED = "outline.places";

/** What a search began from, without its caret: that is the search's to give back. */
interface Searched {
  readonly address: string;
  readonly place: LeftPlace;
}

let named = 0;

/**
 * A zoom and a search begin at the top; going back or forward to one, also from another page, and a
 * reload go to where it was left: the same rows in sight, the caret in its line. A search that ends
 * gives back the rows that were in sight when it began. Answers how to stop.
 */
export function followPlaces(screen: OutlineScreen): () => void {
  const { rows, focus } = screen.workspace;
  const places = new LeftPlaces(readStored());
  let shown = nameOfEntry();
  let address = rows.address.get();
  let searched: Searched | undefined;
  history.scrollRestoration = "manual";
  // Whoever has begun before this is where they want to be.
  if (window.scrollY === 0 && focus.state.get() === undefined) {
    screen.goBackTo(places.get(shown));
    screen.keepFocus();
  }
  const leave = (): void => places.leave(shown, screen.placeNow());
  const sightNow = (): LeftPlace => {
    const { top, row } = screen.placeNow();
    return { top, ...(row !== undefined && { row }) };
  };
  const keep = (): void => {
    leave();
    store(places.stored());
  };
  window.addEventListener("pagehide", keep);
  const stop = rows.address.subscribe(() => {
    const entry = nameOfEntry();
    const isOther = entry !== shown;
    const before = address;
    address = rows.address.get();
    const ended = isOther && address === searched?.address ? searched.place : undefined;
    // The rows are still those that are left.
    if (isOther) leave();
    if (!isSearchIn(address, searched?.address)) {
      searched = isSearchIn(address, before) ? { address: before, place: sightNow() } : undefined;
    }
    shown = entry;
    // At once, so that the caret can be scrolled to behind it.
    window.scrollTo({ top: 0, behavior: "instant" });
    screen.goBackTo(isOther ? (places.get(entry) ?? ended) : undefined);
  });
  return () => {
    window.removeEventListener("pagehide", keep);
    stop();
  };
}

/** Whether an address is a search in what another one shows without one. */
function isSearchIn(address: string, whole: string | undefined): boolean {
  if (whole === undefined || queryOfHash(address) === "" || queryOfHash(whole) !== "") return false;
  return keyOfHash(address) === keyOfHash(whole);
}

/** The name of the entry of the history that is shown; it gets one when it has none. */
function nameOfEntry(): string {
  const state: unknown = history.state;
  const known = isRecord(state) ? state["entry"] : undefined;
  if (typeof known === "string") return known;
  named += 1;
  const entry = `${performance.timeOrigin} ${named}`;
  history.replaceState({ ...(isRecord(state) && state), entry }, "");
  return entry;
}

function readStored(): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "null");
  } catch {
    return undefined;
  }
}

function store(value: unknown): void {
  try {
    sessionStorage.setItem(STORED, JSON.stringify(value));
  } catch {
    // Without storage a reload begins at the top.
  }
}
