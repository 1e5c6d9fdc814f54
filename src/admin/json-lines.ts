import type { Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setImmediate as nextTurn } from "node:timers/promises";

/** No message is longer: the largest carry a name and a note, or a chunk of an outline's state. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;

/**
 * The values of a stream that has one JSON text in every line. Behind each piece of it others have their
 * turn: the system hands over two megabytes in one.
 */
export async function* jsonLines(stream: AsyncIterable<Buffer>): AsyncGenerator<unknown, void> {
  const decoder = new StringDecoder("utf8");
  let rest: string[] = [];
  let restLength = 0;
  for await (const bytes of stream) {
    const text = decoder.write(bytes);
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      yield JSON.parse(rest.join("") + text.slice(from, end));
      rest = [];
      restLength = 0;
      from = end + 1;
    }
    rest.push(text.slice(from));
    restLength += text.length - from;
    if (restLength > MAX_LINE_LENGTH) throw new Error("a message that is too long");
    await nextTurn();
  }
}

/** Writes a value as one line; resolves when the stream takes more, or has closed. */
export async function writeJsonLine(stream: Writable, value: unknown): Promise<void> {
  if (stream.destroyed || stream.write(`${JSON.stringify(value)}\n`)) return;
  await new Promise<void>((resolve) => {
    const ready = (): void => {
      stream.off("drain", ready).off("close", ready);
      resolve();
    };
    stream.on("drain", ready).on("close", ready);
  });
}
