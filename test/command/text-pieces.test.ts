import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { textPieces } from "../../src/commands/text-pieces.ts";

async function read(...pieces: readonly Uint8Array[]): Promise<string> {
  let text = "";
  const source = Readable.from(pieces.map((bytes) => Buffer.from(bytes)));
  for await (const piece of textPieces(source)) text += piece;
  return text;
}

test.each([
  ["UTF-8", Buffer.from("aé😀\n")],
  ["UTF-8 with a mark", Buffer.from("\ufeffaé\n")],
  ["UTF-16LE", Buffer.from("\ufeffaé😀\n", "utf16le")],
  ["UTF-16BE", Buffer.from("\ufeffaé😀\n", "utf16le").swap16()],
  ["a single letter", Buffer.from("a")],
  ["nothing", Buffer.alloc(0)],
])("[F1] %s is read the same wherever it is cut", async (_, bytes) => {
  const whole = await read(bytes);
  for (let at = 0; at <= bytes.length; at += 1) {
    expect(await read(bytes.subarray(0, at), bytes.subarray(at))).toBe(whole);
  }
  expect(await read(...[...bytes].map((byte) => Uint8Array.of(byte)))).toBe(whole);
});

test("[F2] the line of a fault is told wherever the text before it is cut", async () => {
  const bytes = Buffer.concat([Buffer.from("é\n😀\n"), Uint8Array.of(0xff)]);
  for (let at = 0; at <= bytes.length; at += 1) {
    const pieces = [bytes.subarray(0, at), bytes.subarray(at)];
    await expect(read(...pieces)).rejects.toMatchObject({ line: 3 });
  }
  await expect(read(Uint8Array.of(0xff))).rejects.toMatchObject({ line: 1 });
});
