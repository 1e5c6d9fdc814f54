import { onTestFinished } from "vitest";
import type { OutlineDocument } from "../../src/documents/replica/outline-document.ts";
import type { TestService } from "../support/service.ts";

/** What answers do with the documents that they read in parts, seen and steered until the test ends. */
export class WatchedReads {
  reads = 0;
  /** Bytes that the longest part of an answer has, each made in one read. */
  mostBytes = 0;
  /** How often a document is kept open. */
  held = 0;
  /** Called before each read. */
  beforeRead: (read: number) => void = () => undefined;

  constructor({ documents }: Pick<TestService, "documents">) {
    const open = documents.open.bind(documents);
    documents.open = async (id) => {
      const { document, release } = await open(id);
      this.held += 1;
      return {
        document: this.#watched(document),
        release: () => {
          this.held -= 1;
          release();
        },
      };
    };
    onTestFinished(() => {
      documents.open = open;
    });
  }

  #watched(document: OutlineDocument): OutlineDocument {
    const read: OutlineDocument["read"] = async (fn) => {
      this.reads += 1;
      this.beforeRead(this.reads);
      const result = await document.read(fn);
      this.mostBytes = Math.max(this.mostBytes, bytesOf(result));
      return result;
    };
    // So that all reads are these.
    const readNow: OutlineDocument["readNow"] = () => undefined;
    const own = { read: { value: read }, readNow: { value: readNow } };
    return Object.create(document, own) as OutlineDocument;
  }
}

/** Of what a read for a streamed answer makes. */
function bytesOf(result: unknown): number {
  const isPart = typeof result === "object" && result !== null && "bytes" in result;
  return isPart && result.bytes instanceof Uint8Array ? result.bytes.length : 0;
}
