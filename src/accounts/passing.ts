import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { OutlineId } from "../core/node-key.ts";

/** From one process to the owner, and on to who has become it meanwhile. */
export const MOST_HOPS = 2;
/** How often another process is looked for when the one that was asked is gone. */
export const MOST_ATTEMPTS = 4;

/** Another process of the service. */
export interface Owner {
  /** Its number, which is never used again. */
  readonly process: number;
  /** Of its internal listener: host and port. */
  readonly address: string;
}

/** Which process serves an outline. */
export type Place =
  | { readonly kind: "here" }
  | { readonly kind: "elsewhere"; readonly owner: Owner }
  /** Nobody can tell now, or nobody does: it is worth asking again in a second. */
  | { readonly kind: "unknown" };

export const HERE: Place = { kind: "here" };
export const UNKNOWN: Place = { kind: "unknown" };

/** What the process that a client has reached says of its request to the one that answers it. */
export interface Forwarded {
  /** Of the client, as far as it can be believed. */
  readonly address: string;
  /** Whether the client came by TLS. */
  readonly isByTls: boolean;
  /** The `Host` that the client asked. */
  readonly host: string;
  /** From how many processes it has come: 1 is the one that the client has reached. */
  readonly hops: number;
}

export interface PassedRequest {
  readonly owner: Owner;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly forwarded: Forwarded;
  /** Called before a byte of an answer is written. */
  readonly onAnswer: (status: number) => void;
}

export interface PassedUpgrade {
  readonly owner: Owner;
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What came behind the head of the request. */
  readonly head: Buffer;
  readonly forwarded: Forwarded;
}

/** Between the processes that serve a database beside each other. */
export interface Passing {
  /**
   * Takes the outline when nobody has it. At once, where that is known.
   * @param isPassedOn whether another process takes this one to serve it: then what is known of others
   *   may be old, and is asked for anew
   */
  place(outline: OutlineId, isPassedOn?: boolean): Place | Promise<Place>;
  /** An outline is not where it was taken to be. */
  forget(outline: OutlineId): void;
  /**
   * Has another process answer a request.
   * @returns `again` when that process did not get it, so that it can be asked of whoever is in its
   *   place; `failed` when nobody knows what has become of it. Then nothing was answered.
   */
  request(passed: PassedRequest): Promise<"answered" | "again" | "failed">;
  /**
   * Hands a websocket on, whose bytes go both ways from then on. Resolves when it is handed on.
   * @param onEnd called when it has ended
   */
  websocket(passed: PassedUpgrade, onEnd: () => void): Promise<"passed" | "again">;
}

const forwardedRequests = new WeakMap<IncomingMessage, Forwarded>();

/** Notes what a process of the service has said of a request. */
export function noteForwarded(request: IncomingMessage, forwarded: Forwarded): void {
  forwardedRequests.set(request, forwarded);
}

/** Undefined for what has come from a client itself. */
export function forwardedOf(request: IncomingMessage): Forwarded | undefined {
  return forwardedRequests.get(request);
}
