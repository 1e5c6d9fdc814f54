import { Readable } from "node:stream";
import { setImmediate as yieldNow } from "node:timers/promises";
import type { OutlineNode } from "../core/node-reader.ts";
import type { OutlineDocument } from "../documents/outline-document.ts";
import type { OutlineView } from "./outline-view.ts";

/** What is rendered at a time, before others have their turn. */
const CHUNK_NODES = 250;
const CHUNK_CHARACTERS = 64 * 1024;

export interface NodeStreamSource {
  readonly document: OutlineDocument;
  readonly view: OutlineView;
  /** Asked for a few nodes at a time, within reads of the document. */
  readonly nodes: Iterator<OutlineNode>;
  /** Told of each node that is sent. */
  readonly onServed: (node: OutlineNode) => void;
}

/**
 * The JSON `{nodes}` as a stream that is made as fast as it is read. Destroying the stream ends the
 * work, and an exception in the work destroys the stream: a body that looks whole is whole.
 */
export function nodeStream(source: NodeStreamSource): Readable {
  return Readable.from(chunksOf(source), { objectMode: false });
}

async function* chunksOf(source: NodeStreamSource): AsyncGenerator<string, void, undefined> {
  let before = '{"nodes":[';
  for (;;) {
    const chunk = await source.document.read(() => renderSome(source));
    if (chunk === "") break;
    yield before + chunk;
    before = ",";
    await yieldNow();
  }
  yield before === "," ? "]}" : `${before}]}`;
}

/** The JSON of the next nodes, separated by commas; empty after the last. */
function renderSome({ nodes, view, onServed }: NodeStreamSource): string {
  let text = "";
  for (let count = 0; count < CHUNK_NODES && text.length < CHUNK_CHARACTERS; count += 1) {
    const { done, value: node } = nodes.next();
    if (done === true) break;
    onServed(node);
    text += text === "" ? view.present(node) : `,${view.present(node)}`;
  }
  return text;
}
