import type { InputSource } from "./key-actions.ts";

/** The engines that the app is made for besides Chromium, which the other tests of it run in. */
export const ENGINE_NAMES = ["firefox", "webkit"] as const;

export type EngineName = (typeof ENGINE_NAMES)[number];

/** A browser program that runs. */
export interface Engine {
  /** A browser of its own, as far as a page can tell: no cookie and no storage is shared. */
  profile(): Promise<Profile>;
  /** Ends the program and all that it has started. */
  close(): Promise<void>;
}

/** What one person has on one device: tabs that share cookies and storage. */
export interface Profile {
  /** The first one is in front; not every engine has keys for those behind it. */
  tab(): Promise<EngineTab>;
  close(): Promise<void>;
}

/** One page, used with real events: what a keyboard and a mouse send goes through the whole browser. */
export interface EngineTab {
  /** Resolves when the page has loaded. */
  goto(url: string): Promise<void>;
  /** Loads it anew, from the browser's own store when there is no network. */
  reload(): Promise<void>;
  /**
   * Runs a function in the page.
   * @param run refers to nothing outside of itself
   * @param given goes there as JSON, and so does the result on its way back
   */
  evaluate<T, A>(run: (given: A) => T | Promise<T>, given: A): Promise<T>;
  /** Does what a keyboard or a mouse does. */
  perform(input: InputSource): Promise<void>;
  readonly inputMethod: InputMethod;
}

/** Writes words that the keyboard has no keys for. */
export interface InputMethod {
  /** Shows what may become the word, which stands in the text until it is chosen. */
  begin(): Promise<void>;
  /** Puts this one character in the place of what was shown. */
  choose(character: string): Promise<void>;
}
