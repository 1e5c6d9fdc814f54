import { Readable } from "node:stream";
import { setImmediate as yieldNow } from "node:timers/promises";
import type { OutlineNode } from "../core/node-reader.ts";
import type { OutlineDocument } from "../documents/outline-document.ts";
import type { OutlineView } from "./outline-view.ts";

/** What is rendered at a time, before others have their turn. */
const CHUNK_NODES = 250;
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * The JSON of an export, in document order, as a stream that is made as fast as it is read. Which
 * nodes there are, and where, is as it was at one moment; names and the rest are as they are when
 * they are sent. Destroying the stream ends the work, and an exception in the work destroys the
 * stream: a body that looks whole is whole.
 */
export function exportStream(
  document: OutlineDocument,
  view: OutlineView,
  onServed: (node: OutlineNode) => void,
): Readable {
  return Readable.from(exportChunks(document, view, onServed), { objectMode: false });
}

async function* exportChunks(
  document: OutlineDocument,
  view: OutlineView,
  onServed: (node: OutlineNode) => void,
): AsyncGenerator<string, void, undefined> {
  const nodes = view.nodesInOrder();
  let before = '{"nodes":[';
  for (;;) {
    const chunk = await document.read(() => renderSome(nodes, view, onServed));
    if (chunk === "") break;
    yield before + chunk;
    before = ",";
    await yieldNow();
  }
  yield before === "," ? "]}" : `${before}]}`;
}

/** The JSON of the next nodes, separated by commas; empty after the last. */
function renderSome(
  nodes: Iterator<OutlineNode>,
  view: OutlineView,
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
