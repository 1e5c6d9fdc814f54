import type { Mutants } from "./mutant.ts";

/** Where an attacker stands: one server, one user of it, an address of the attacker's own. */
export interface Site {
  /** As in `http://host:port`. */
  readonly url: string;
  /** Of the attacker's user, with the right to write. */
  readonly key: string;
  /** Of the same user, for reading only. */
  readonly readKey: string;
  /** The local address that all connections come from. */
  readonly address: string;
  readonly seed: number;
}

/** What an attack came to, by name: requests, messages, bytes, answers by their code. */
export type Counts = Readonly<Record<string, number>>;

/**
 * One way to take from the service more than one's share. It runs in a process of its own; the row's
 * process reads only the words and numbers of it.
 */
export interface Abuse {
  /** As on the command line, behind `abuse/`. */
  readonly name: string;
  /** What the attacker does. */
  readonly fault: string;
  /** What an amount counts. */
  readonly unit: string;
  readonly full: number;
  readonly short: number;
  /** By how many MiB the server may grow at most in the short form; when not given, by 200. */
  readonly shortPeakMib?: number;
  /** Pieces of work that somebody waits for, of a control: so many are harm; when not given, 250. */
  readonly harmUnits?: number;
  /** Options of the server in the short form: a limit that so small an amount would not reach. */
  readonly shortOptions?: Readonly<Record<string, string>>;
  /**
   * Options of the server, and MiB of heap, while it is prepared. It is started anew for the attack,
   * which begins with what is stored.
   */
  readonly preparedWith?: {
    readonly heapMib: number;
    readonly options: Readonly<Record<string, string>>;
  };
  /** Protections by name; without any of them the attack does harm, also in its short form. */
  readonly mutants?: Mutants;
  /** What has to be there before; the server is not watched yet. */
  prepare?(site: Site, amount: number): Promise<void>;
  /** Attacks, until the server has done or refused all of it. All connections are closed then. */
  attack(site: Site, amount: number): Promise<Counts>;
  /** Why this was no attack; undefined when it was one. */
  lackOf(counts: Counts, amount: number): string | undefined;
  /** What came of it for the attacker's own user, or on the disk, that must not be. */
  harmOf?(counts: Counts, amount: number): string | undefined;
}
