import type { Case, Gene, Step } from "./gene.ts";
import { frameOf, MESSAGE_GENES } from "./message-genes.ts";
import { REQUEST_GENES, type CostRequest } from "./request-genes.ts";
import type { CostClient } from "./site.ts";
import { TEXT_GENES } from "./text-genes.ts";
import { UPDATE_GENES } from "./update-genes.ts";
import { UpdateWriter } from "./update-writer.ts";

type Say = (client: CostClient) => void;

/** What is sent at once. */
export interface Saying {
  readonly channel: Step["channel"];
  readonly say: Say;
}

const MOST_REQUESTS = 100;
/** Of those that may be answered with all that there is: what they cost, they cost the first time. */
const MOST_READS = 4;
const READING: ReadonlySet<string> = new Set(["export", "list", "targets", "retrieve", "others"]);
/** Of a request. */
const HEAD_BYTES = 100;
const MOST_TEXT = 2 ** 20;
/** Below what a server takes as one message. */
const MOST_STRUCTS = 100_000;
/** Of text in one gene. */
const MOST_LETTERS = 500_000;

/**
 * Makes what a case says, step by step: made before it is sent, so that making it is not measured.
 * @param maxBytes of all texts and updates; what is beyond is left out
 */
export function* sayingsOf(each: Case, maxBytes: number): Generator<Saying> {
  const writer = new UpdateWriter();
  let left = maxBytes;
  for (const { channel, genes, times } of each) {
    const sayings: Say[] = [];
    for (let round = 0; round < times && left > 0; round++) {
      if (channel === "update") {
        const frame = frameOf({ kind: "update", update: updateOf(writer, genes) });
        left -= frame.length;
        if (left >= 0) sayings.push((client) => client.update(frame));
      } else if (channel === "requests") {
        const requests = requestsOf(genes, left);
        for (const { path, body = "" } of requests) left -= path.length + body.length + HEAD_BYTES;
        sayings.push((client) => client.sendRequests(client.requestBytes(requests)));
      } else {
        left -= 1_000;
        sayings.push((client) => {
          for (const gene of genes) MESSAGE_GENES[gene.kind]?.(client, bounded(gene));
        });
      }
    }
    yield {
      channel,
      say(client) {
        for (const say of sayings) say(client);
      },
    };
  }
}

function updateOf(writer: UpdateWriter, genes: Step["genes"]): Uint8Array {
  for (const gene of genes) {
    const most = MOST_STRUCTS - writer.structs;
    if (most > 0)
      UPDATE_GENES[gene.kind]?.(writer, bounded({ ...gene, count: Math.min(gene.count, most) }));
  }
  return writer.take();
}

function requestsOf(genes: Step["genes"], maxBytes: number): readonly CostRequest[] {
  const requests: CostRequest[] = [];
  let text = "";
  let left = maxBytes;
  for (const gene of genes) {
    const more = TEXT_GENES[gene.kind]?.(text, bounded(gene));
    if (more !== undefined) text = more.slice(0, Math.min(MOST_TEXT, maxBytes));
    const make = REQUEST_GENES[gene.kind];
    if (make === undefined) continue;
    const most = READING.has(gene.kind) ? MOST_READS : MOST_REQUESTS;
    for (let index = 0; index < Math.min(gene.count, most) && left > 0; index++) {
      const request = make(bounded(gene), text, index);
      left -= (request.body?.length ?? 0) + request.path.length + HEAD_BYTES;
      if (left >= 0) requests.push(request);
    }
  }
  return requests;
}

function bounded(gene: Gene): Gene {
  return { ...gene, size: Math.max(1, Math.min(gene.size, Math.floor(MOST_LETTERS / gene.count))) };
}
