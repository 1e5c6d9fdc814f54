import type { NodeKey, OutlineId } from "../../../src/core/node-key.ts";
import type { OutlineNode } from "../../../src/core/node/node-reader.ts";
import type { Server } from "./server.ts";

/** How far ahead of the server's clock a time may be. Seconds. */
const TOLERANCE_S = 60;

/** What `modifiedAt` tells of, besides the place, which repair changes too. */
function contentOf({ name, note, layout, completedAt }: OutlineNode): string {
  return JSON.stringify([name, note, layout, completedAt]);
}

/**
 * A program that asks now and then which nodes have changed since it last asked, by `modifiedAt` and
 * the server's clock, and must never miss one: whatever clocks devices have, however late they come,
 * however often the server is killed. It looks only at what the server has in memory, so that nothing
 * else goes otherwise for it.
 */
export class Poller {
  readonly #outline: OutlineId;
  #known = new Map<NodeKey, string>();
  #epoch = "";
  #lookedAt = 0;

  constructor(outline: OutlineId) {
    this.#outline = outline;
  }

  /** What it has missed. */
  look(server: Server, nowMs: number): readonly string[] {
    const document = server.documents.peek(this.#outline);
    const nowSec = Math.floor(nowMs / 1000);
    const looked = document?.readNow((outline) => [...outline.nodesInOrder()]);
    if (document === undefined || looked === undefined) return [];
    // A backup was put back: nothing is as it was.
    if (document.epoch !== this.#epoch) this.#known.clear();
    this.#epoch = document.epoch;
    const problems: string[] = [];
    const known = new Map<NodeKey, string>();
    for (const node of looked.result) {
      const { key, createdAt, modifiedAt, completedAt } = node;
      const content = contentOf(node);
      const before = this.#known.get(key);
      const isTold = modifiedAt >= this.#lookedAt;
      if (before !== undefined && before !== content && !isTold) {
        problems.push(`${key} changed from ${before} to ${content} unheard at ${modifiedAt}`);
      }
      if (Math.max(createdAt, modifiedAt, completedAt ?? 0) > nowSec + TOLERANCE_S) {
        problems.push(`${key} has a time ahead of now`);
      }
      known.set(key, content);
    }
    // What is in the trash may change there, and come back as it is.
    this.#known = known;
    this.#lookedAt = nowSec;
    return problems;
  }
}
