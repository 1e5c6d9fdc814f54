import { Readable } from "node:stream";
import { setImmediate as yieldNow } from "node:timers/promises";
import type { OutlineNode } from "../core/node-reader.ts";
import type { OutlineDocument } from "../documents/outline-document.ts";
import type { ScopedOutline } from "./scoped-outline.ts";

/** What is rendered at a time, before others have their turn: about what the processor keeps near. */
const CHUNK_NODES = 250;
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * The JSON `{nodes}` as a stream that is made as fast as it is read. Destroying the stream ends the
 * work, and an exception in the work destroys the stream: a body that looks whole is whole.
 *
 * @param nodes asked for some at a time, within reads of the document
 * @param onServed told of each node that is sent
 */
export function nodeStream(
  document: OutlineDocument,
  view: ScopedOutline,
  nodes: Iterator<OutlineNode>,
  onServed: (node: OutlineNode) => void,
): Readable {
  return Readable.from(chunksOf(document, view, nodes, onServed), { objectMode: false });
}

async function* chunksOf(
  document: OutlineDocument,
  view: ScopedOutline,
  nodes: Iterator<OutlineNode>,
  onServed: (node: OutlineNode) => void,
): AsyncGenerator<string, void, undefined> {
  let before = '{"nodes":[';
  try {
    for (;;) {
      const chunk = await document.read(() => nextNodes(view, nodes, onServed));
      if (chunk === "") break;
      yield before + chunk;
      before = ",";
      await yieldNow();
    }
  } finally {
    nodes.return?.();
  }
  yield before === "," ? "]}" : `${before}]}`;
}

/** The JSON of the next nodes, separated by commas; empty after the last. */
function nextNodes(
  view: ScopedOutline,
  nodes: Iterator<OutlineNode>,
  onServed: (node: OutlineNode) => void,
): string {
  let text = "";
  for (let count = 0; count < CHUNK_NODES && text.length < CHUNK_CHARACTERS; count += 1) {
    const { done, value: node } = nodes.next();
    if (done === true) break;
    onServed(node);
    text += text === "" ? view.present(node) : `,${view.present(node)}`;
  }
  return text;
}
