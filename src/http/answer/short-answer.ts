import { Readable } from "node:stream";
import { FREE_BYTES } from "../intake/body-intake.ts";
import type { Answer, FileStream } from "../operation.ts";

export function isStreamed(answer: Answer): answer is Readable | FileStream {
  return answer instanceof Readable || (typeof answer !== "string" && answer.kind === "file");
}

/**
 * An answer that is made in pieces, since nobody knows how long it gets: one that turns out to be
 * short becomes a text like any other.
 * @throws what ends it before that is known
 */
export async function shortened(answer: Readable | FileStream): Promise<Answer> {
  if (answer instanceof Readable) return textIfShort(answer);
  const { content } = answer;
  return typeof content === "string" ? answer : { ...answer, content: await textIfShort(content) };
}

async function textIfShort(stream: Readable): Promise<Readable | string> {
  const begun: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    begun.push(chunk as Buffer);
    bytes += (chunk as Buffer).byteLength;
    if (bytes <= FREE_BYTES) continue;
    stream.unshift(Buffer.concat(begun));
    return stream;
  }
  return Buffer.concat(begun).toString();
}
